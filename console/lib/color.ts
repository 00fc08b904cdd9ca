/** A colour of the page by its custom property, such as `--line`, as canvases take it: in the scheme that is shown. */
export function readColor(name: string): string {
  const probe = document.createElement("span");
  probe.hidden = true;
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
