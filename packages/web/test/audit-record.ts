import type { DescribedRecord, Names } from '../src/lib/describe-audit-record.ts';

export const names: Names = {
  user: (id) => ({ '1': 'Olive', '2': 'Max' })[id],
  site: (id) => (id === 7 ? 'shop.example.com' : undefined),
  license: (id) => (Number(id) === 3 ? 'Care (…CKDZX9)' : undefined),
};

/** A record of a kind such as `license.suspend`. The default actor is Olive. */
export function recordOf(kind: string, overrides: Partial<DescribedRecord> = {}): DescribedRecord {
  const [entity_type = '', action = ''] = kind.split('.');
  return { actor: '1', entity_type, action, context: {}, ...overrides };
}
