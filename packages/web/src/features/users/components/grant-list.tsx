import { Button, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import lines from '../../../components/lines.module.css';
import type { FoundOption } from '../../../components/search-select.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { usersMessages } from '../../../messages/users.ts';
import styles from './user-drawer.module.css';

const messages = usersMessages.access;

export type Grant = { id: number; label: string; at: string };
type PickerProps = { value: FoundOption | null; onChange: (option: FoundOption | null) => void };
type Props = {
  kind: 'site' | 'license';
  grants: Grant[];
  onGrant: (id: number) => Promise<unknown>;
  onRevoke: (id: number) => void;
  picker: (props: PickerProps) => ReactNode;
};

/** The grants of one kind, with buttons to revoke each and to add another. */
export function GrantList({ kind, grants, onGrant, onRevoke, picker }: Props) {
  const [chosen, setChosen] = useState<FoundOption | null>(null);
  const grant = async () => {
    if (!chosen) return;
    try {
      await onGrant(Number(chosen.value));
      setChosen(null);
    } catch {
      // `AccessSection` shows the error. The choice stays, so that the user can retry.
    }
  };
  return (
    <div>
      <ul className={lines.list}>
        {grants.map(({ id, label, at }) => (
          <li key={id} className={lines.line}>
            <div className="truncate">
              <div className="truncate">{label}</div>
              <Text size="xs" c="dimmed">
                {messages.granted} <RelativeTime at={at} />
              </Text>
            </div>
            <Button
              variant="default"
              size="xs"
              style={{ flex: 'none' }}
              aria-label={messages.revokeGrant(label)}
              onClick={() => onRevoke(id)}
            >
              {messages.revoke}
            </Button>
          </li>
        ))}
      </ul>
      <div className={styles.picker}>
        {picker({ value: chosen, onChange: setChosen })}
        <Button variant="default" disabled={chosen === null} onClick={grant}>
          {messages.grant[kind]}
        </Button>
      </div>
    </div>
  );
}
