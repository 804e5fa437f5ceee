import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { OwnersOnly } from '../../components/owners-only.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { rulesMessages as messages } from '../../messages/rules.ts';
import { quarantineQuery, rulesQuery } from './api.ts';
import { DeleteRuleDialog } from './components/delete-rule-dialog.tsx';
import { LiftDialog } from './components/lift-dialog.tsx';
import { QuarantineDialog } from './components/quarantine-dialog.tsx';
import { QuarantineSection } from './components/quarantine-section.tsx';
import { RuleDialog } from './components/rule-dialog.tsx';
import { RuleList } from './components/rule-list.tsx';

const route = getRouteApi('/signed-in/rules');

export function RulesPage() {
  return (
    <OwnersOnly title={messages.title}>
      <Rules />
    </OwnersOnly>
  );
}

/** The rules and the quarantined versions. The URL holds the open dialog. */
function Rules() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const rules = useQuery(rulesQuery);
  const quarantine = useQuery(quarantineQuery);
  const open = (dialog: typeof search) => void navigate({ search: dialog });
  const close = () => open({});
  const openVersions = quarantine.data?.filter(({ lifted_at }) => lifted_at === null) ?? [];
  const find = <Row extends { id: number }>(rows: Row[] | undefined, id: string | undefined) =>
    rows?.find((row) => String(row.id) === id);
  const edited = find(rules.data, search.rule);
  const deleted = find(rules.data, search.delete);
  const lifted = find(openVersions, search.lift);
  const createButton = (
    <Button leftSection={<IconPlus size={15} />} onClick={() => open({ new: '1' })}>
      {messages.create}
    </Button>
  );
  return (
    <>
      <PageHeader
        width="reading"
        title={messages.title}
        note={rules.data ? messages.note(rules.data.length, openVersions.length) : ''}
        action={rules.data?.length ? createButton : undefined}
      />
      {rules.error && <ErrorNote error={rules.error} onRetry={rules.refetch} />}
      {!rules.data && !rules.error && <SkeletonRows />}
      {rules.data?.length === 0 && (
        <EmptyState title={messages.empty.title} action={createButton}>
          {messages.empty.text}
        </EmptyState>
      )}
      {rules.data && rules.data.length > 0 && (
        <RuleList
          rules={rules.data}
          onEdit={(id) => open({ rule: String(id) })}
          onDelete={(id) => open({ delete: String(id) })}
        />
      )}
      {quarantine.error && <ErrorNote error={quarantine.error} onRetry={quarantine.refetch} />}
      {quarantine.data && (
        <QuarantineSection
          versions={quarantine.data}
          onAdd={() => open({ new: 'quarantine' })}
          onLift={(id) => open({ lift: String(id) })}
        />
      )}
      {search.new === '1' && <RuleDialog onClose={close} />}
      {search.new === 'quarantine' && <QuarantineDialog onClose={close} />}
      {edited && <RuleDialog key={edited.id} rule={edited} onClose={close} />}
      {deleted && <DeleteRuleDialog rule={deleted} onClose={close} />}
      {lifted && <LiftDialog version={lifted} onClose={close} />}
    </>
  );
}
