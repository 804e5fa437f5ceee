import type { RuleAspect, RuleLevel, SoftwareType } from '@steward/contract';
import type { Generated, GeneratedAlways } from 'kysely';
import type { ReadOnly } from '../../platform/database/handles.ts';

/** Only this feature writes these tables. */
export type RuleTables = {
  update_rules: {
    id: GeneratedAlways<number>;
    tag_id: number | null;
    site_id: number | null;
    item_type: SoftwareType | null;
    slug: string | null;
    aspect: RuleAspect;
    level: RuleLevel | null;
    version: string | null;
    days: number | null;
    hours: Generated<number | null>;
    enabled: Generated<boolean | null>;
    note: string;
    created_by: number | null;
    created_at: Date;
    revision: Generated<number>;
  };
  quarantined_versions: {
    id: GeneratedAlways<number>;
    item_type: SoftwareType;
    slug: string;
    name: string;
    version: string;
    reason: string;
    created_by: number | null;
    rollout_id: number | null;
    created_at: Date;
    lifted_at: Generated<Date | null>;
    lifted_by: Generated<number | null>;
    lift_reason: Generated<string | null>;
  };
  /** A trigger on `software_counts` writes this table; code only reads it. */
  software_versions: {
    id: GeneratedAlways<number>;
    type: SoftwareType;
    slug: string;
    version: string;
    first_seen_at: Date;
  };
};

/** What other features may read. */
export type PublishedRuleTables = {
  update_rules: ReadOnly<RuleTables['update_rules'], 'id'>;
};
