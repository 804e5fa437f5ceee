import { ActivityLine } from '../../../components/activity-line.tsx';
import { OutcomeBar } from '../../../components/outcome-bar.tsx';
import {
  countOutcomes,
  describeRun,
  runState,
  runTitle,
  summarizeOutcomes,
} from '../../../lib/run-outcomes.ts';
import type { Run } from '../../../lib/runs-api.ts';
import { runsMessages } from '../../../messages/runs.ts';

export function RunLine({ run, starter }: { run: Run; starter: string }) {
  const counts = countOutcomes(run);
  return (
    <ActivityLine
      link={{ to: '/runs/$runId', params: { runId: String(run.run_id) } }}
      state={runState(run, counts)}
      title={runTitle(run)}
      hint={describeRun(run)}
      bars={<OutcomeBar counts={counts} total={run.total} isSlim />}
      summary={summarizeOutcomes(counts)}
      startedBy={runsMessages.list.startedBy(starter)}
      at={run.created_at}
    />
  );
}
