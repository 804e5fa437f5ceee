/** The query of an address in one form, so that two addresses with the same filters are equal. */
export function toViewQuery(searchText: string): string {
  const params = new URLSearchParams(searchText);
  params.sort();
  return params.toString();
}
