import { Group, NativeSelect, NumberInput, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { ProofField } from '../../../components/proof-field.tsx';
import { rolloutPreviewQuery } from '../../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { itemKey, keepOneVersion } from './one-version-per-item.ts';
import styles from './ring-fields.module.css';
import { RingFields } from './ring-fields.tsx';
import {
  type RolloutPlan,
  SOAK_UNITS,
  type SoakUnit,
  toRings,
  toSettings,
} from './rollout-plan.ts';
import type { OfferedItem } from './update-preview-api.ts';

const messages = rolloutMessages.plan;
const DEBOUNCE_MS = 300;

type Props = {
  siteIds: number[];
  plan: RolloutPlan;
  /** The items of which sites offer several versions, grouped by item. */
  ambiguous: OfferedItem[][];
  versionByItem: Readonly<Record<string, string>>;
  onChange: (plan: RolloutPlan) => void;
  onChooseVersion: (versionByItem: Record<string, string>) => void;
};

/** The plan of a rollout: its rings with the number of sites, the soak time, and the limits that halt it. */
export function RolloutFields(props: Props) {
  const { siteIds, plan, ambiguous, versionByItem, onChange, onChooseVersion } = props;
  const [debouncedRings] = useDebouncedValue(plan.rings, DEBOUNCE_MS);
  const rings = toRings(debouncedRings);
  const isComplete = toRings(plan.rings) !== null;
  const preview = useQuery({
    ...rolloutPreviewQuery(siteIds, rings ?? [], rings !== null && siteIds.length > 0),
    placeholderData: (previous) => previous,
  });
  const settings = toSettings(plan);
  return (
    <Stack gap="sm">
      {ambiguous.map((versions) => {
        const [item] = versions;
        if (!item) return null;
        const key = itemKey(item);
        return (
          <Select
            key={key}
            label={messages.versionOf(item.name)}
            description={messages.severalVersions}
            data={versions.map(({ version, site_ids }) => ({
              value: version,
              label: messages.versionOption(version, site_ids.length),
            }))}
            value={keepOneVersion(versions, versionByItem)[0]?.version ?? null}
            allowDeselect={false}
            onChange={(version) =>
              version !== null && onChooseVersion({ ...versionByItem, [key]: version })
            }
          />
        );
      })}
      <RingFields
        rings={plan.rings}
        preview={isComplete ? preview.data : undefined}
        onChange={(fields) => onChange({ ...plan, rings: fields })}
      />
      {preview.error && <ErrorNote error={preview.error} onRetry={preview.refetch} />}
      <Settings plan={plan} onChange={onChange} />
      <ProofField
        value={plan.proofPercent}
        onChange={(proofPercent) => onChange({ ...plan, proofPercent })}
      />
      <Text c="dimmed" size="sm">
        {settings === null || !isComplete
          ? messages.incomplete
          : messages.halts(settings.first_ring_max_troubled, settings.later_max_troubled_percent)}
      </Text>
    </Stack>
  );
}

function Settings({ plan, onChange }: Pick<Props, 'plan' | 'onChange'>) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" className={styles.settings}>
      <Group gap={6} align="flex-end" wrap="nowrap">
        <NumberInput
          label={messages.soak}
          value={plan.soak}
          min={0}
          miw={64}
          onChange={(soak) => onChange({ ...plan, soak })}
        />
        <NativeSelect
          aria-label={messages.soakUnit}
          miw={96}
          data={Object.keys(SOAK_UNITS).map((unit) => ({
            value: unit,
            label: messages.soakUnits[unit as SoakUnit],
          }))}
          value={plan.soakUnit}
          onChange={({ currentTarget }) =>
            onChange({ ...plan, soakUnit: currentTarget.value as SoakUnit })
          }
        />
      </Group>
      <NumberInput
        label={messages.firstMax}
        value={plan.firstRingMaxTroubled}
        min={0}
        allowDecimal={false}
        onChange={(firstRingMaxTroubled) => onChange({ ...plan, firstRingMaxTroubled })}
      />
      <NumberInput
        label={messages.laterPercent}
        value={plan.laterMaxTroubledPercent}
        min={0}
        max={100}
        suffix={messages.percentSuffix}
        onChange={(laterMaxTroubledPercent) => onChange({ ...plan, laterMaxTroubledPercent })}
      />
    </SimpleGrid>
  );
}
