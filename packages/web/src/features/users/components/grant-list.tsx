import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { Blockable } from '../../../components/blockable.tsx';
import { DangerButton } from '../../../components/danger-button.tsx';
import lines from '../../../components/lines.module.css';
import { NameText } from '../../../components/name-text.tsx';
import { SearchMultiSelect } from '../../../components/search-multi-select.tsx';
import type { FoundOption } from '../../../components/search-select.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { blockedMessages } from '../../../messages/blocked.ts';
import { usersMessages } from '../../../messages/users.ts';
import styles from './user-drawer.module.css';

const messages = usersMessages.access;

export type GrantKind = 'site' | 'license' | 'client' | 'tag';
/** `target` is the id of a site, license or client, or the name of a tag. */
export type Grant = { target: string; label: string; at: string };
type Props = {
  kind: GrantKind;
  grants: Grant[];
  find: (text: string, signal: AbortSignal) => Promise<FoundOption[]>;
  onGrant: (targets: string[]) => Promise<unknown>;
  onRevoke: (target: string) => void;
};

/** The grants of one kind, with buttons to revoke a grant and to add grants. */
export function GrantList({ kind, grants, find, onGrant, onRevoke }: Props) {
  const [chosen, setChosen] = useState<FoundOption[]>([]);
  const grant = async () => {
    try {
      await onGrant(chosen.map(({ value }) => value));
      setChosen([]);
    } catch {
      // `AccessSection` shows the error. The choice stays, so that the user can retry.
    }
  };
  return (
    <div>
      <ul className={lines.list}>
        {grants.map(({ target, label, at }) => (
          <li key={target} className={lines.line}>
            <div className="truncate">
              <NameText>{label}</NameText>
              <Text size="xs" c="dimmed">
                {messages.granted} <RelativeTime at={at} />
              </Text>
            </div>
            <DangerButton
              size="xs"
              aria-label={messages.revokeGrant(label)}
              onClick={() => onRevoke(target)}
            >
              {messages.revoke}
            </DangerButton>
          </li>
        ))}
      </ul>
      <div className={styles.picker}>
        <SearchMultiSelect
          label={messages.labels[kind]}
          placeholder={messages.placeholders[kind]}
          resource={`grant-${kind}`}
          find={find}
          value={chosen}
          onChange={setChosen}
        />
        <Blockable reason={chosen.length === 0 ? blockedMessages.nothingToGrant : null}>
          <Button variant="default" aria-label={messages.grantLabels[kind]} onClick={grant}>
            {messages.grant}
          </Button>
        </Blockable>
      </div>
    </div>
  );
}
