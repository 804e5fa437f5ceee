import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Blockable } from '../../../components/blockable.tsx';
import { DialogFooter } from '../../../components/dialog-footer.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import type { Run } from '../../../lib/runs-api.ts';
import { useGoToRun } from '../../../lib/use-go-to-run.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { commonMessages } from '../../../messages/common.ts';
import { updateMessages } from '../../../messages/update.ts';
import { useGoToRollout } from '../use-go-to-rollout.ts';
import { type Skipped, SkippedSites } from './skipped-sites.tsx';

/** Starts a run or a rollout. */
export type Start = () => Promise<Pick<Run, 'run_id'> | { rollout_id: number }>;

type Props = {
  skipped: Skipped;
  /** The number of selected sites that do not exist or that the user may not see. */
  notFound: number;
  submitLabel: string;
  /** Null while the user has not chosen everything that the request needs. */
  start: Start | null;
  /** Why there is nothing to start, if this is known. */
  blockedBy?: string | null;
  onClose: () => void;
  children: ReactNode;
};

/** The part that all dialogs for starting a run or a rollout share: skipped sites, errors and buttons. */
export function RunForm(props: Props) {
  const { skipped, notFound, submitLabel, start, blockedBy, onClose, children } = props;
  const goToRun = useGoToRun();
  const goToRollout = useGoToRollout();
  const run = useMutation({
    mutationFn: (chosen: Start) => chosen(),
    onSuccess: (started) => ('run_id' in started ? goToRun(started) : goToRollout(started)),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (start) run.mutate(start);
      }}
    >
      <Stack gap="md">
        {children}
        {skipped.count > 0 && <SkippedSites skipped={skipped} isInitiallyOpen={start === null} />}
        {notFound > 0 && (
          <Text c="dimmed" size="sm">
            {updateMessages.notFound(notFound)}
          </Text>
        )}
        {run.error && <ErrorNote error={run.error} />}
        <DialogFooter>
          <Button variant="default" onClick={onClose}>
            {commonMessages.cancel}
          </Button>
          <Blockable reason={start ? null : (blockedBy ?? blockedMessages.nothingToStart)}>
            <Button type="submit" loading={run.isPending} data-autofocus>
              {submitLabel}
            </Button>
          </Blockable>
        </DialogFooter>
      </Stack>
    </form>
  );
}
