/** A text of at most so many characters; where it is longer, three dots follow them. */
export function cutText(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
}
