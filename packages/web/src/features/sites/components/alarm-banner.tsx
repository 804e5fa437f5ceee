import { Box, Button, Code } from '@mantine/core';
import type { SiteDetails } from '@steward/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Banner } from '../../../components/banner.tsx';
import { Ago, Moment } from '../../../components/moment.tsx';
import { alarmWords } from '../../../lib/alarm-words.ts';
import { sayDone, sayFault } from '../../../lib/notify.ts';
import { useMay } from '../../../lib/session.ts';
import { dismissAlarm, refreshSite } from '../site-api.ts';

/** It stays until a user has looked into it, whatever else is shown of the site. */
export function AlarmBanner({ site }: { site: SiteDetails }) {
  const mayAct = useMay('sites.act');
  const client = useQueryClient();
  const dismiss = useMutation({
    mutationFn: () => dismissAlarm(site.id),
    onError: sayFault,
    onSuccess: async () => {
      await refreshSite(client, site.id);
      sayDone('The alarm is dismissed. It stays in the history of the site.');
    },
  });
  const { alarm } = site;
  if (!alarm) return null;
  const { title, meaning } = alarmWords(alarm);
  return (
    <Box mb="sm">
      <Banner
        tone="bad"
        title={title}
        steps={
          mayAct && (
            <Button
              size="xs"
              variant="default"
              loading={dismiss.isPending}
              onClick={() => dismiss.mutate()}
            >
              Dismiss alarm
            </Button>
          )
        }
      >
        {alarm.route && alarm.called_at && (
          <>
            <Code>{alarm.route}</Code> at <Moment at={alarm.called_at} />.{' '}
          </>
        )}
        {meaning} Found <Ago at={alarm.at} />.
      </Banner>
    </Box>
  );
}
