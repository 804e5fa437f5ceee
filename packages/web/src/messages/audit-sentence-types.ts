import type { AuditRecord } from '@steward/contract';

/** A record of the audit log or of the history of a site. The history omits the ids. */
export type DescribedRecord = Pick<AuditRecord, 'actor' | 'action' | 'entity_type' | 'context'> &
  Partial<Pick<AuditRecord, 'entity_id' | 'site_id'>>;

/**
 * Looks up display names. Undefined: the name is not loaded or not in the list, such as a bot user. It does not mean
 * that the user or site was deleted.
 */
export type Names = {
  user(id: string): string | undefined;
  site(id: number | null | undefined): string | undefined;
  license(id: unknown): string | undefined;
};

export type Sentence = (record: DescribedRecord, names: Names) => string;
