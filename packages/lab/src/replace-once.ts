/** The text with one passage replaced. If it is not there exactly once, what `refuse` makes of how often it is. */
export function replaceOnce(text: string, find: string, replace: string, refuse: (times: number) => Error): string {
  const parts = text.split(find);
  if (parts.length !== 2) throw refuse(parts.length - 1);
  return parts.join(replace);
}
