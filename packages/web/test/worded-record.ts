import type { Names, WordedRecord } from '../src/lib/audit-words.ts';

export const names: Names = {
  user: (id) => ({ '1': 'Olive', '2': 'Max' })[id],
  site: (id) => (id === 7 ? 'shop.example.com' : undefined),
};

/** Of a kind like `license.suspend`, by Olive unless told otherwise. */
export function recordOf(kind: string, more: Partial<WordedRecord> = {}): WordedRecord {
  const [entity_type = '', action = ''] = kind.split('.');
  return { actor: '1', entity_type, action, context: {}, ...more };
}
