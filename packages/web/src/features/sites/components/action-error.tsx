import { Button } from '@mantine/core';
import { explainFailure } from '@steward/contract';
import { Link } from '@tanstack/react-router';
import { Banner } from '../../../components/banner.tsx';
import { ApiError } from '../../../lib/api.ts';
import { outcomeOf } from '../../../lib/run-outcomes.ts';
import { useRun } from '../../../lib/use-run.ts';
import { failureMessages } from '../../../messages/failures.ts';

/** The error of a failed action, its effect on the site and a link to the run. */
export function ActionError({ error, onDismiss }: { error: Error; onDismiss: () => void }) {
  const isApiError = error instanceof ApiError;
  const title = isApiError ? error.message : failureMessages.unexpected;
  const runId = isApiError && typeof error.body.run_id === 'number' ? error.body.run_id : null;
  return (
    <Banner
      tone="bad"
      title={title}
      steps={
        <>
          {runId !== null && (
            <Button
              variant="default"
              size="xs"
              renderRoot={(props) => (
                <Link {...props} to="/runs/$runId" params={{ runId: String(runId) }} />
              )}
            >
              {failureMessages.viewRun}
            </Button>
          )}
          <Button variant="default" size="xs" onClick={onDismiss}>
            {failureMessages.dismiss}
          </Button>
        </>
      }
    >
      {runId !== null && <Meaning runId={runId} />}
    </Banner>
  );
}

/** Explains the failure from the run: the error response does not show whether the site executed the action. */
function Meaning({ runId }: { runId: number }) {
  const { data } = useRun(runId);
  const [task] = data?.tasks.values() ?? [];
  if (!data || !task) return null;
  const { kind, request } = data.run;
  const { status, code } = task;
  const isVerifying = outcomeOf(task) === 'verifying';
  return explainFailure({ kind, action: request.action, status, code, isVerifying })?.meaning;
}
