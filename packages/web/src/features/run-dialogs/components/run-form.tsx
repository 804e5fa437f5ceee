import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import type { Run } from '../../../lib/runs-api.ts';
import { useGoToRollout } from '../../../lib/use-go-to-rollout.ts';
import { useGoToRun } from '../../../lib/use-go-to-run.ts';
import { commonMessages } from '../../../messages/common.ts';
import { updateMessages } from '../../../messages/update.ts';
import { type Skipped, SkippedSites } from './skipped-sites.tsx';

type Props = {
  skipped: Skipped;
  /** The number of selected sites that do not exist or that the user may not see. */
  notFound: number;
  submitLabel: string;
  isDisabled: boolean;
  /** Starts a run or a rollout. */
  start: () => Promise<Pick<Run, 'run_id'> | { rollout_id: number }>;
  onClose: () => void;
  children: ReactNode;
};

/** The part that all dialogs for starting a run or a rollout share: skipped sites, errors and buttons. */
export function RunForm(props: Props) {
  const { skipped, notFound, submitLabel, isDisabled, start, onClose, children } = props;
  const goToRun = useGoToRun();
  const goToRollout = useGoToRollout();
  const run = useMutation({
    mutationFn: start,
    onSuccess: (started) => ('run_id' in started ? goToRun(started) : goToRollout(started)),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run.mutate();
      }}
    >
      <Stack gap="md">
        {children}
        {skipped.count > 0 && <SkippedSites skipped={skipped} isInitiallyOpen={isDisabled} />}
        {notFound > 0 && (
          <Text c="dimmed" size="sm">
            {updateMessages.notFound(notFound)}
          </Text>
        )}
        {run.error && <ErrorNote error={run.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {commonMessages.cancel}
          </Button>
          <Button type="submit" loading={run.isPending} disabled={isDisabled} data-autofocus>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
