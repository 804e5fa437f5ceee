import type { SoftwareType } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { toOption } from '../../../lib/software-options.ts';
import { rulesQuery } from '../api.ts';
import { EMPTY_FORM, type RuleForm } from '../rule-form.ts';
import { RuleDialog } from './rule-dialog.tsx';

type Props = {
  item: { type: SoftwareType; slug: string; name: string };
  version: string;
  /** The site on which the version is held at first. Without it: all sites. */
  site?: { id: number; name: string } | undefined;
  onClose: () => void;
};

/** Creates a rule that holds a plugin, a theme or core on a version. The user can choose other sites and versions. */
export function HoldVersionDialog({ item, version, site, onClose }: Props) {
  const rules = useQuery(rulesQuery).data ?? [];
  return <RuleDialog hold={{ form: toInitial(item, version, site), rules }} onClose={onClose} />;
}

function toInitial(item: Props['item'], version: string, site: Props['site']): RuleForm {
  const isCore = item.type === 'core';
  return {
    ...EMPTY_FORM,
    scope: site ? 'site' : 'fleet',
    site: site ? { value: String(site.id), label: site.name } : null,
    items: isCore ? 'core' : 'one',
    software: isCore ? null : toOption(item),
    effect: 'pin',
    version,
  };
}
