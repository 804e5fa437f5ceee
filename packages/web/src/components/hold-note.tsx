import { Text } from '@mantine/core';
import type { ExplainedHold } from '@steward/contract';
import { useHasPermission } from '../lib/session.ts';
import { holdMessages } from '../messages/holds.ts';
import { TextLink } from './text-link.tsx';

const messages = holdMessages.hold;

/** Why Steward does not install a version. Owners can open the rule or the quarantine. */
export function HoldNote({ hold }: { hold: ExplainedHold }) {
  const isOwner = useHasPermission('owner');
  const search = hold.rule_id === undefined ? {} : { rule: String(hold.rule_id) };
  return (
    <Text size="sm" c="dimmed" component="span">
      {hold.explanation}{' '}
      {isOwner && (
        <TextLink to="/rules" search={search} size="sm" underline="always">
          {hold.rule_id === undefined ? messages.openQuarantine : messages.openRule}
        </TextLink>
      )}
    </Text>
  );
}
