import { Button, Group, Text, Title } from '@mantine/core';
import type { QuarantinedVersion } from '@steward/contract';
import { EmptyState } from '../../../components/empty-state.tsx';
import { PageSection } from '../../../components/page-section.tsx';
import { SoftwareLink } from '../../../components/software-link.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { rulesMessages } from '../../../messages/rules.ts';
import styles from './rules.module.css';

const messages = rulesMessages.quarantine;

type Props = {
  versions: QuarantinedVersion[];
  onAdd: () => void;
  onLift: (id: number) => void;
};

/** The open quarantines, and those that were lifted. */
export function QuarantineSection({ versions, onAdd, onLift }: Props) {
  return (
    <PageSection id="quarantine">
      <section aria-label={messages.title}>
        <Group justify="space-between" mt="xl">
          <Title order={2}>{messages.title}</Title>
          <Button variant="default" size="xs" onClick={onAdd}>
            {messages.add}
          </Button>
        </Group>
        {versions.length === 0 ? (
          <EmptyState isSection title={messages.emptyTitle}>
            {messages.empty}
          </EmptyState>
        ) : (
          <>
            <Text c="dimmed" size="sm">
              {messages.text}
            </Text>
            <ul className={styles.list}>
              {versions.map((version) => (
                <VersionLine key={version.id} version={version} onLift={onLift} />
              ))}
            </ul>
          </>
        )}
      </section>
    </PageSection>
  );
}

type LineProps = Pick<Props, 'onLift'> & { version: QuarantinedVersion };

function VersionLine({ version, onLift }: LineProps) {
  const { id, item_type, slug, reason, created_by, lifted_at, lifted_by, lift_reason } = version;
  const name = messages.version(version.name, version.version);
  return (
    <li className={styles.version}>
      <SoftwareLink type={item_type} slug={slug}>
        {name}
      </SoftwareLink>
      <div className={styles.state}>
        {lifted_at === null ? (
          <StatusLabel kind="bad">{messages.states.open}</StatusLabel>
        ) : (
          <StatusLabel kind="off">{messages.states.lifted}</StatusLabel>
        )}
      </div>
      <div className={styles.reason}>
        {reason}
        {lift_reason !== null && (
          <Text size="sm" c="dimmed">
            {messages.liftedBecause(lifted_by ?? messages.bySystem, lift_reason)}
          </Text>
        )}
      </div>
      <Text size="sm" component="div" className={styles.since}>
        {messages.by(created_by ?? messages.bySystem)} <RelativeTime at={version.created_at} />
      </Text>
      <div className={styles.action}>
        {lifted_at === null && (
          <Button
            size="xs"
            variant="default"
            onClick={() => onLift(id)}
            aria-label={messages.liftOf(name)}
          >
            {messages.lift}
          </Button>
        )}
      </div>
    </li>
  );
}
