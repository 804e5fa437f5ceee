import { Button, type ButtonProps, Text } from '@mantine/core';
import type { UpdateSummary, UpdateSummaryRequest } from '@steward/contract';
import { IconArrowUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Blockable } from '../../../components/blockable.tsx';
import { HoldNote } from '../../../components/hold-note.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { updateSummaryQuery } from '../../../lib/update-summary-api.ts';
import { updateMessages } from '../../../messages/update.ts';
import { describeBlock, describeLeftOut } from './describe-left-out.ts';

type Counted = {
  /** The sites and updates that the dialog opens with. */
  request: UpdateSummaryRequest;
  /** A change of this value counts again. */
  basis?: unknown;
};

type Props = Counted &
  Pick<ButtonProps, 'size' | 'variant'> & {
    label: (summary: UpdateSummary) => string;
    /** Why no update can start, whatever it would do. */
    blockedBy?: string | null;
    isOpening?: boolean;
    onOpen: () => void;
  };

/** Opens the dialog of an update. The panel counts what the run would do; if that is nothing, the button says why. */
export function UpdateButton(props: Props) {
  const { request, basis, label, blockedBy = null, isOpening = false, onOpen, ...style } = props;
  const { data: summary, isPending } = useQuery({
    ...updateSummaryQuery(request, basis),
    enabled: blockedBy === null,
  });
  const reason = blockedBy ?? (summary ? describeBlock(summary) : null);
  return (
    <Blockable reason={reason}>
      <Button
        leftSection={<IconArrowUp size={15} aria-hidden />}
        loading={isOpening || (isPending && blockedBy === null)}
        onClick={onOpen}
        {...style}
      >
        {summary && summary.sites > 0 ? label(summary) : updateMessages.open}
      </Button>
    </Blockable>
  );
}

/** Beside an `UpdateButton` that includes only some of the sites: why the others are left out. */
export function UpdateLeftOutNote({ request, basis }: Counted) {
  const { data: summary } = useQuery({ ...updateSummaryQuery(request, basis), enabled: false });
  if (!summary || summary.sites === 0 || summary.left_out.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" component="span">
      {updateMessages.leavesOut(summary.left_out.map(describeLeftOut))}
    </Text>
  );
}

/** Beside a disabled `UpdateButton`: names the rule or the quarantine, or the sites without a valid license, and links to them. */
export function UpdateHoldNote({ request, basis }: Counted) {
  const { data: summary } = useQuery({ ...updateSummaryQuery(request, basis), enabled: false });
  if (summary?.sites !== 0) return null;
  const hold = summary.left_out.find((entry) => entry.hold)?.hold;
  if (hold) return <HoldNote hold={hold} />;
  const unlicensed = summary.left_out.find(({ reason }) => reason === 'license_invalid');
  // The page of a site has a banner about its license.
  if (!unlicensed || !request.selection) return null;
  return (
    <Text size="sm" c="dimmed" component="span">
      {updateMessages.invalidLicenses(unlicensed.sites)}{' '}
      <TextLink
        to="/sites"
        search={{ ...request.selection, status: 'license_invalid' }}
        size="sm"
        underline="always"
      >
        {updateMessages.showUnlicensed}
      </TextLink>
    </Text>
  );
}
