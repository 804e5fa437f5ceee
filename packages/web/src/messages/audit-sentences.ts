import type { AuditEvent } from '@steward/contract';
import { auditClientSentences } from './audit-client-sentences.ts';
import { auditLicenseSentences } from './audit-license-sentences.ts';
import { auditPanelSentences } from './audit-panel-sentences.ts';
import { auditRuleSentences } from './audit-rule-sentences.ts';
import { auditRunSentences } from './audit-run-sentences.ts';
import type { Sentence } from './audit-sentence-types.ts';
import { auditSiteSentences } from './audit-site-sentences.ts';
import { auditUserSentences } from './audit-user-sentences.ts';

/**
 * The sentence about each event, without its subject: "Olive *suspended license Care (…CKDZX9)*". Keys are entity type and action.
 */
export const auditSentences = {
  ...auditRunSentences,
  ...auditRuleSentences,
  ...auditSiteSentences,
  ...auditClientSentences,
  ...auditLicenseSentences,
  ...auditUserSentences,
  ...auditPanelSentences,
} as const satisfies Record<AuditEvent, Sentence>;
