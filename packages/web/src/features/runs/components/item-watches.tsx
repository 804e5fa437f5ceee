import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ItemWatch, isManagementPlugin, type Watch, type WatchError } from '@steward/contract';
import { IconHandStop, IconHistory } from '@tabler/icons-react';
import { useId } from 'react';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ErrorTrust } from '../../../components/error-trust.tsx';
import { SoftwareLink } from '../../../components/software-link.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { WATCH_KINDS } from '../../../components/watch-label.tsx';
import { formatTimestamp } from '../../../lib/format.ts';
import { describeForVendor } from '../../../lib/item-error-details.ts';
import { itemName } from '../../../lib/run-items.ts';
import type { Run, Task } from '../../../lib/runs-api.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { itemErrorMessages } from '../../../messages/item-errors.ts';
import { watchMessages as messages } from '../../../messages/watch.ts';
import { QuarantineDialog } from '../../rules/index.ts';
import { RestoreDialog } from '../../run-dialogs/index.ts';
import { listItems } from '../list-items.ts';
import styles from './item-watches.module.css';

type Props = { run: Run; task: Task };
type FailingWatch = ItemWatch & { error: WatchError };
const isFailing = (item: ItemWatch): item is FailingWatch => item.error !== null;

/** What real requests say about the updated items of a site: each failing item, then the others by state. */
export function ItemWatches({ run, task }: Props) {
  const titleId = useId();
  if (!task.watch) return null;
  const { items, until } = task.watch;
  const names = new Map(
    listItems(run, task).map(({ type, slug, name }) => [`${type} ${slug}`, name]),
  );
  const nameOf = (item: ItemWatch) => names.get(`${item.type} ${item.slug}`) ?? itemName(run, item);
  const failing = items
    .filter(isFailing)
    .sort((a, b) => Number(b.state === 'troubled') - Number(a.state === 'troubled'));
  const quiet = Map.groupBy(
    items.filter((item) => !isFailing(item)),
    ({ state }) => state,
  );
  return (
    <div>
      <Text id={titleId} size="sm" fw={500} mb={4}>
        {messages.title}
      </Text>
      <ul className={styles.list} aria-labelledby={titleId}>
        {failing.map((item) => (
          <li key={`${item.type} ${item.slug}`} className={styles.item}>
            <State state={item.state} />
            <FailingItem task={task} item={item} name={nameOf(item)} />
          </li>
        ))}
        {[...quiet].map(([state, group]) => (
          <li key={state} className={styles.item}>
            <State state={state} />
            <div>
              <div className={styles.names}>
                {group.map((item) => (
                  <ItemLink key={`${item.type} ${item.slug}`} item={item} name={nameOf(item)} />
                ))}
              </div>
              <Text size="sm" c="dimmed">
                {messages.quiet[state]}
                {state === 'watching' && ` ${messages.watchesUntil(formatTimestamp(until))}`}
              </Text>
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}

function State({ state }: Pick<Watch, 'state'>) {
  return (
    <span className={styles.state}>
      <StatusLabel kind={WATCH_KINDS[state]}>{messages.states[state]}</StatusLabel>
    </span>
  );
}

function ItemLink({ item: { type, slug, version }, name }: { item: ItemWatch; name: string }) {
  return (
    <SoftwareLink type={type} slug={slug}>
      <b>{name}</b> <span className="mono tabular">{version}</span>
    </SoftwareLink>
  );
}

type FailingProps = { task: Task; item: FailingWatch; name: string };

function FailingItem({ task, item, name }: FailingProps) {
  const { state, version, until, error } = item;
  const isInItem = error.type === item.type && error.slug === item.slug;
  return (
    <div className={styles.failing}>
      <div className={styles.head}>
        <ItemLink item={item} name={name} />
        {state === 'watching' && <ErrorTrust isConfirmed={error.is_confirmed} />}
      </div>
      <Text fw={500}>{error.message}</Text>
      <Text size="sm" c="dimmed">
        <span className="mono">{error.place}</span>{' '}
        {itemErrorMessages.requestKinds[error.request_kind]}
      </Text>
      {!isInItem && (
        <Text size="sm">
          {messages.through(itemErrorMessages.item(error.slug, error.version), name)}
        </Text>
      )}
      {item.restore_run_id === null ? (
        <Text>
          {messages.failing(state, version, item.type === 'core')}
          {state === 'watching' && ` ${messages.watchesUntil(formatTimestamp(until))}`}
        </Text>
      ) : (
        <RestoredNote runId={item.restore_run_id} version={item.from_version} />
      )}
      <Steps task={task} item={item} name={name} />
    </div>
  );
}

function RestoredNote({ runId, version }: { runId: number; version: string | null }) {
  return (
    <Text>
      {messages.restored(version)}{' '}
      <TextLink to="/runs/$runId" params={{ runId: String(runId) }}>
        {messages.viewRestoreRun}
      </TextLink>
    </Text>
  );
}

function Steps({ task, item, name }: FailingProps) {
  const { type, slug, version, state, error } = item;
  const isTroubled = state === 'troubled';
  const details = describeForVendor({
    ...error,
    item: itemErrorMessages.item(name, version),
    updatedFrom: item.from_version,
    first_at: error.at,
  });
  return (
    <Group gap="xs">
      {isTroubled && type !== 'core' && !isManagementPlugin(slug) && (
        <RestoreStep task={task} item={item} type={type} name={name} />
      )}
      {isTroubled && <QuarantineStep item={item} name={name} />}
      <CopyButton
        value={details}
        label={itemErrorMessages.copy}
        aria-label={itemErrorMessages.copyOf(itemErrorMessages.item(name, version), error.place)}
        size="xs"
      />
    </Group>
  );
}

type RestoreProps = FailingProps & { type: 'plugin' | 'theme' };

function RestoreStep({ task, item, type, name }: RestoreProps) {
  const [isOpen, dialog] = useDisclosure();
  const mayAct = useHasPermission('sites.act');
  if (!mayAct || item.restore_run_id !== null) return null;
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconHistory size={14} aria-hidden />}
        onClick={dialog.open}
      >
        {messages.restore(item.from_version)}
      </Button>
      {isOpen && (
        <RestoreDialog
          siteIds={[task.site_id]}
          item={{ type, slug: item.slug }}
          name={name}
          onClose={dialog.close}
        />
      )}
    </>
  );
}

function QuarantineStep({ item, name }: Omit<FailingProps, 'task'>) {
  const [isOpen, dialog] = useDisclosure();
  const isOwner = useHasPermission('owner');
  const { type, slug, version, error } = item;
  if (!isOwner) return <Text size="sm">{messages.askOwner}</Text>;
  const reason = messages.quarantineReason(error.message, error.place);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconHandStop size={14} aria-hidden />}
        onClick={dialog.open}
      >
        {messages.quarantine(version)}
      </Button>
      {isOpen && (
        <QuarantineDialog initial={{ type, slug, name, version, reason }} onClose={dialog.close} />
      )}
    </>
  );
}
