import { Box } from '@mantine/core';
import type { AuditWarning as Warning } from '@steward/contract';
import { Banner } from '../../../components/banner.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { overviewMessages } from '../../../messages/overview.ts';

const messages = overviewMessages.audit;

/** A warning about the audit log, with the affected record and the command to run on the server. */
export function AuditWarning({ warning }: { warning: Warning }) {
  const isAlarm = warning.severity === 'alarm';
  return (
    <Box mb="md">
      <Banner
        tone={isAlarm ? 'bad' : 'warn'}
        title={isAlarm ? messages.alarmTitle : messages.noticeTitle}
        steps={
          <>
            {/* The message of a notice names its own next step. */}
            {isAlarm && (
              <span>
                {messages.runBefore}
                <code className="mono">{messages.command}</code>
                {messages.runAfter}
              </span>
            )}
            <TextLink to="/audit">{messages.viewLog}</TextLink>
          </>
        }
      >
        {warning.message}
      </Banner>
    </Box>
  );
}
