import { Checkbox, Stack, Text } from '@mantine/core';
import type { PreflightGroup } from '@steward/contract';
import { TextLink } from '../../../components/text-link.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { preflightMessages } from '../../../messages/preflight.ts';
import { Disclosure } from '../components/disclosure.tsx';
import type { PreflightChoice } from './use-preflight-choice.ts';

/**
 * Lists the sites on which updates would or may fail, with the reasons. The user can leave out the sites on which every
 * update would or may fail.
 */
export function PreflightSummary({ choice }: { choice: PreflightChoice }) {
  const { preflight, error, certain, uncertain } = choice;
  if (!preflight) {
    return error ? (
      <Text c="dimmed" size="sm">
        {preflightMessages.checkFailed}
      </Text>
    ) : null;
  }
  const { groups, unchecked, without_backup } = preflight;
  const partial = new Set(
    groups
      .flatMap(({ partial_site_ids }) => partial_site_ids)
      .filter((id) => !certain.has(id) && !uncertain.has(id)),
  );
  if (certain.size + uncertain.size + partial.size + unchecked.count + without_backup.count === 0)
    return null;
  return (
    <Stack gap="xs">
      {certain.size > 0 && (
        <>
          <Reasons
            label={preflightMessages.wouldFail(certain.size)}
            groups={groups.filter(({ is_certain }) => is_certain)}
            siteIds={certain}
          />
          <Checkbox
            label={preflightMessages.leaveOutCertain(certain.size)}
            checked={choice.leavesOutCertain}
            onChange={({ currentTarget }) => choice.setLeavesOutCertain(currentTarget.checked)}
          />
        </>
      )}
      {uncertain.size > 0 && (
        <>
          <Reasons
            label={preflightMessages.mayFail(uncertain.size)}
            groups={groups}
            siteIds={uncertain}
          />
          <Checkbox
            label={preflightMessages.leaveOutUncertain(uncertain.size)}
            checked={choice.leavesOutUncertain}
            onChange={({ currentTarget }) => choice.setLeavesOutUncertain(currentTarget.checked)}
          />
        </>
      )}
      {partial.size > 0 && (
        <Reasons
          label={preflightMessages.partial(partial.size)}
          groups={groups}
          siteIds={partial}
        />
      )}
      {unchecked.count > 0 && (
        <Text c="dimmed" size="sm">
          {preflightMessages.unchecked(unchecked.count)}
        </Text>
      )}
      {without_backup.count > 0 && (
        <Disclosure
          label={preflightMessages.withoutBackup(without_backup.count)}
          isInitiallyOpen={false}
        >
          {without_backup.sites.map(({ id, name, backed_up_at }) => (
            <li key={id}>
              <TextLink to="/sites/$siteId" params={{ siteId: String(id) }}>
                {name}
              </TextLink>{' '}
              <Text span c="dimmed" size="sm">
                {backed_up_at === null ? (
                  preflightMessages.backupNotKnown
                ) : (
                  <>
                    {preflightMessages.lastBackup} <RelativeTime at={backed_up_at} />
                  </>
                )}
              </Text>
            </li>
          ))}
          {without_backup.count > without_backup.sites.length && (
            <li>
              {preflightMessages.moreSites(without_backup.count - without_backup.sites.length)}
            </li>
          )}
        </Disclosure>
      )}
    </Stack>
  );
}

type ReasonsProps = { label: string; groups: PreflightGroup[]; siteIds: ReadonlySet<number> };

function Reasons({ label, groups, siteIds }: ReasonsProps) {
  return (
    <Disclosure label={label} isInitiallyOpen={siteIds.size <= 3}>
      {groups.map((group) => {
        const ids = [...group.site_ids, ...group.partial_site_ids].filter((id) => siteIds.has(id));
        if (ids.length === 0) return null;
        const shown = group.sites.filter(({ id }) => siteIds.has(id));
        return (
          <li key={`${group.reason} ${group.is_certain}`}>
            {preflightMessages.group(group.message, ids.length)}
            <ul>
              {shown.map(({ id, name, error }) => (
                <li key={id}>
                  <TextLink to="/sites/$siteId" params={{ siteId: String(id) }}>
                    {name}
                  </TextLink>{' '}
                  {error !== group.message && (
                    <Text span c="dimmed" size="sm">
                      {error}
                    </Text>
                  )}
                </li>
              ))}
              {ids.length > shown.length && (
                <li>{preflightMessages.moreSites(ids.length - shown.length)}</li>
              )}
            </ul>
          </li>
        );
      })}
    </Disclosure>
  );
}
