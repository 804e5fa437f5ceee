import { MultiSelect, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import {
  chooseCanaries,
  type Rollout,
  type RolloutSite,
  refreshRollouts,
} from '../../../lib/rollouts-api.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { commonMessages } from '../../../messages/common.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';

const messages = rolloutMessages.canaries;
/** A list of thousands of sites is found by typing. */
const SHOWN_MAX = 50;

type Props = {
  rollout: Rollout;
  /** The sites of later rings that were not called yet. */
  sites: RolloutSite[];
  onClose: () => void;
};

/** Asks which sites prove the versions instead. */
export function CanariesDialog({ rollout, sites, onClose }: Props) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<string[]>([]);
  const ring = rollout.rings.find(({ position }) => position === rollout.ring);
  return (
    <ConfirmDialog
      title={messages.title}
      confirmLabel={messages.confirm(chosen.length)}
      blockedBy={chosen.length === 0 ? blockedMessages.canaries : null}
      onConfirm={async () =>
        refreshRollouts(client, await chooseCanaries(rollout.rollout_id, chosen.map(Number)))
      }
      onClose={onClose}
    >
      <Text>{messages.effect(ring?.name ?? '')}</Text>
      <MultiSelect
        label={messages.sites}
        placeholder={chosen.length === 0 ? commonMessages.typeToSearch : ''}
        data={sites.map(({ site_id, name }) => ({ value: String(site_id), label: name }))}
        value={chosen}
        onChange={setChosen}
        searchable
        hidePickedOptions
        limit={SHOWN_MAX}
        nothingFoundMessage={commonMessages.noResults}
        required
        data-autofocus
      />
    </ConfirmDialog>
  );
}
