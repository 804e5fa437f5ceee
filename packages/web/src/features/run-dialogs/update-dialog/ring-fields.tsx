import { ActionIcon, Button, NativeSelect, NumberInput, Text } from '@mantine/core';
import { ROLLOUT_RINGS_MAX, type RolloutPreview } from '@steward/contract';
import { IconPlus, IconX } from '@tabler/icons-react';
import { Blockable } from '../../../components/blockable.tsx';
import { blockedMessages } from '../../../messages/blocked.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import styles from './ring-fields.module.css';
import type { RingField } from './rollout-plan.ts';
import { TagField } from './tag-field.tsx';

const messages = rolloutMessages.plan;

type Props = {
  rings: RingField[];
  /** The number of sites per ring. Undefined until it is first loaded, and while a ring is incomplete. */
  preview: RolloutPreview | undefined;
  onChange: (rings: RingField[]) => void;
};

/** The rings of a rollout in their order. The last ring always gets all other sites. */
export function RingFields({ rings, preview, onChange }: Props) {
  const replace = (changed: RingField) =>
    onChange(rings.map((ring) => (ring.id === changed.id ? changed : ring)));
  const nextId = Math.max(-1, ...rings.map(({ id }) => id)) + 1;
  return (
    <div>
      <ol className={styles.rings} aria-label={messages.rings}>
        {rings.map((ring, index) => (
          <li key={ring.id} className={styles.ring}>
            <NativeSelect
              aria-label={messages.kindOf(index + 1)}
              data={[
                { value: 'tag', label: messages.kinds.tag },
                { value: 'percent', label: messages.kinds.percent },
              ]}
              value={'tag' in ring ? 'tag' : 'percent'}
              onChange={({ currentTarget }) =>
                replace(
                  currentTarget.value === 'tag'
                    ? { id: ring.id, tag: '' }
                    : { id: ring.id, percent: '' },
                )
              }
            />
            {'tag' in ring ? (
              <TagField
                label={messages.tagOf(index + 1)}
                value={ring.tag}
                onChange={(tag) => replace({ id: ring.id, tag })}
              />
            ) : (
              <NumberInput
                aria-label={messages.percentOf(index + 1)}
                value={ring.percent}
                min={0}
                max={100}
                suffix={messages.percentSuffix}
                onChange={(percent) => replace({ id: ring.id, percent })}
              />
            )}
            <SiteCount sites={preview?.[index]?.sites} />
            {'tag' in ring && preview?.[index]?.sites === 0 && (
              <Text size="sm" c="dimmed" className={styles.hint}>
                {messages.noTaggedSites(ring.tag.trim())}
              </Text>
            )}
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={messages.remove(index + 1)}
              onClick={() => onChange(rings.filter(({ id }) => id !== ring.id))}
            >
              <IconX size={15} />
            </ActionIcon>
          </li>
        ))}
        <li className={styles.ring}>
          <span className={styles.last}>{messages.otherSites}</span>
          <SiteCount sites={preview?.[rings.length]?.sites} />
        </li>
      </ol>
      <Blockable reason={rings.length >= ROLLOUT_RINGS_MAX - 1 ? blockedMessages.rings : null}>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconPlus size={14} />}
          onClick={() => onChange([...rings, { id: nextId, percent: '' }])}
        >
          {messages.addRing}
        </Button>
      </Blockable>
    </div>
  );
}

function SiteCount({ sites }: { sites: number | undefined }) {
  return (
    <Text span size="sm" c="dimmed" className={`${styles.sites} tabular`}>
      {sites === undefined ? messages.counting : messages.sites(sites)}
    </Text>
  );
}
