import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Banner } from '../../../components/banner.tsx';
import { ApiError } from '../../../lib/api.ts';
import { adviceOn } from '../../../lib/failure-words.ts';
import { outcomeOf } from '../../../lib/run-outcomes.ts';
import { runQuery } from '../../../lib/runs-api.ts';

/** Why an action was refused or failed, what that means, and where more is said. */
export function ActionFault({ error, onDismiss }: { error: Error; onDismiss: () => void }) {
  const isOurs = error instanceof ApiError;
  const sentence = isOurs ? error.message : 'That did not work. Reload the page and try again.';
  const runId = isOurs && typeof error.body.run_id === 'number' ? error.body.run_id : null;
  return (
    <Banner
      tone="bad"
      title={sentence}
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
              Show the attempt
            </Button>
          )}
          <Button variant="default" size="xs" onClick={onDismiss}>
            Dismiss
          </Button>
        </>
      }
    >
      {runId !== null && <Meaning runId={runId} />}
    </Banner>
  );
}

/** The refusal does not say whether it may have happened all the same; the run does. */
function Meaning({ runId }: { runId: number }) {
  const { data } = useQuery(runQuery(runId));
  const [task] = data?.tasks.values() ?? [];
  if (!data || !task) return null;
  const { kind, request } = data.run;
  const { status, code } = task;
  const isOpen = outcomeOf(task) === 'finding_out';
  return adviceOn({ kind, action: request.action, status, code, isOpen })?.meaning;
}
