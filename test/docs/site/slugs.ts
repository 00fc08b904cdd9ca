/** Makes the anchors of one page's headings as GitHub does: a title that comes again gets `-1`, `-2`, ... */
export function createSlugs(): (title: string) => string {
  const taken = new Set<string>();
  return (title) => {
    const slug = title
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-");
    let unique = slug;
    for (let count = 1; taken.has(unique); count++) unique = `${slug}-${count}`;
    taken.add(unique);
    return unique;
  };
}
