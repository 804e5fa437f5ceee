/** The parameters of a query string such as `?status=failing&search=shop`. All values are text. */

export type Search = Record<string, string>;

export const parseSearch = (text: string): Search =>
  Object.fromEntries(new URLSearchParams(text)) as Search;

export function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const text = new URLSearchParams(
    entries.map(([name, value]) => [name, String(value)]),
  ).toString();
  return text === '' ? '' : `?${text}`;
}

/** Returns a function that keeps only the named parameters of a query string. */
export function pickParams<Name extends string>(names: readonly Name[]) {
  return (search: Record<string, unknown>): { [key in Name]?: string } =>
    Object.fromEntries(
      names.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])),
    ) as { [key in Name]?: string };
}
