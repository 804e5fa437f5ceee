/** Whether each word of the query begins a word of the text: "two fac" finds "Two-factor authentication". */
export function matchesWords(query: string, text: string): boolean {
  const words = toWords(text);
  return toWords(query).every((wanted) => words.some((word) => word.startsWith(wanted)));
}

const toWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
