/** The value of a number field. It is a text while the field is empty or incomplete. */
export type PercentField = number | string;

/** The share of the sites of a ring that must prove a version. An empty field means one site, which the API calls 0. */
export function toProofPercent(field: PercentField): number | null {
  if (field === '') return 0;
  const percent = Number(field);
  return percent >= 0 && percent <= 100 ? percent : null;
}

export const fromProofPercent = (percent: number): PercentField => (percent === 0 ? '' : percent);
