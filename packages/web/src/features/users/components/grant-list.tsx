import { Button, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import lines from '../../../components/lines.module.css';
import { Ago } from '../../../components/moment.tsx';
import type { FoundOption } from '../../../components/search-select.tsx';
import styles from './user-panel.module.css';

export type Granted = { id: number; label: string; at: string };
type PickerProps = { value: FoundOption | null; onChange: (option: FoundOption | null) => void };
type Props = {
  kind: 'site' | 'license';
  granted: Granted[];
  onGrant: (id: number) => Promise<unknown>;
  onRevoke: (id: number) => void;
  picker: (props: PickerProps) => ReactNode;
};

/** What was granted of one kind, each with a way to take it back, and a way to add to it. */
export function GrantList({ kind, granted, onGrant, onRevoke, picker }: Props) {
  const [chosen, setChosen] = useState<FoundOption | null>(null);
  const grant = async () => {
    if (!chosen) return;
    try {
      await onGrant(Number(chosen.value));
      setChosen(null);
    } catch {
      // The section shows why; what was chosen stays.
    }
  };
  return (
    <div>
      <ul className={lines.list}>
        {granted.map(({ id, label, at }) => (
          <li key={id} className={lines.line}>
            <div className="cut">
              <div className="cut">{label}</div>
              <Text size="xs" c="dimmed">
                granted <Ago at={at} />
              </Text>
            </div>
            <Button
              variant="default"
              size="xs"
              style={{ flex: 'none' }}
              aria-label={`Revoke ${label}`}
              onClick={() => onRevoke(id)}
            >
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      <div className={styles.picker}>
        {picker({ value: chosen, onChange: setChosen })}
        <Button variant="default" disabled={chosen === null} onClick={grant}>
          Grant {kind}
        </Button>
      </div>
    </div>
  );
}
