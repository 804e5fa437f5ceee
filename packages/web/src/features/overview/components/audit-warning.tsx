import { Box } from '@mantine/core';
import type { AuditWarning as Warning } from '@steward/contract';
import { Banner } from '../../../components/banner.tsx';
import { TextLink } from '../../../components/text-link.tsx';

/** Something is wrong with the audit log: which record, and what to do on the panel's machine. */
export function AuditWarning({ warning }: { warning: Warning }) {
  const isAlarm = warning.severity === 'alarm';
  return (
    <Box mb="md">
      <Banner
        tone={isAlarm ? 'bad' : 'calm'}
        title={isAlarm ? 'The audit log was tampered with or set back' : 'Check the audit log'}
        steps={
          <>
            <span>
              Run <code className="mono">npx steward audit verify</code> on the machine of the panel
              for the whole report.
            </span>
            <TextLink to="/audit">View audit log</TextLink>
          </>
        }
      >
        {warning.message}
      </Banner>
    </Box>
  );
}
