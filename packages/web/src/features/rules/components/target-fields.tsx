import { Select } from '@mantine/core';
import type { RuleScope } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { SiteSelect } from '../../../components/site-select.tsx';
import { tagsQuery } from '../../../lib/tags-api.ts';
import { type ItemChoice, rulesMessages } from '../../../messages/rules.ts';
import type { RuleForm } from '../rule-form.ts';
import { SoftwareSelect } from './software-select.tsx';

const messages = rulesMessages.dialog;

type Props = {
  form: RuleForm;
  /** The user chooses only the sites. */
  hasFixedItem: boolean;
  onChange: (fields: Partial<RuleForm>) => void;
};

const toOptions = (labels: Record<string, string>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** The sites and items of a new rule. */
export function TargetFields({ form, hasFixedItem, onChange }: Props) {
  const tags = useQuery(tagsQuery).data?.tags.map(({ name }) => name) ?? [];
  return (
    <>
      <Select
        label={messages.sites}
        data={toOptions(messages.scopes)}
        value={form.scope}
        allowDeselect={false}
        // Without this, the button that creates the rule would have the focus, and Enter would create it unread.
        data-autofocus
        onChange={(scope) => onChange({ scope: scope as RuleScope })}
      />
      {form.scope === 'tag' && (
        <Select
          label={messages.tag}
          data={tags}
          searchable
          value={form.tag}
          onChange={(tag) => onChange({ tag })}
        />
      )}
      {form.scope === 'site' && (
        <SiteSelect
          label={messages.site}
          value={form.site}
          onChange={(site) => onChange({ site })}
        />
      )}
      {!hasFixedItem && (
        <Select
          label={messages.items}
          data={toOptions(messages.itemTypes)}
          value={form.items}
          allowDeselect={false}
          // Another item has other versions.
          onChange={(items) => onChange({ items: items as ItemChoice, version: '' })}
        />
      )}
      {!hasFixedItem && form.items === 'one' && (
        <SoftwareSelect
          label={messages.software}
          value={form.software}
          onChange={(software) => onChange({ software, version: '' })}
        />
      )}
    </>
  );
}
