import { Anchor, Button, Group, Table, Text, Title } from '@mantine/core';
import type { EnrolmentCode } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { CopyField } from '../../../components/copy-field.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { NameText } from '../../../components/name-text.tsx';
import table from '../../../components/page-table.module.css';
import { StatusLabel } from '../../../components/status-label.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { enrolmentCodesQuery } from '../../../lib/licenses-api.ts';
import { siteAddress } from '../../../lib/site-name.ts';
import { connectMessages } from '../../../messages/connect.ts';
import { connectManyMessages as messages } from '../../../messages/connect-many.ts';
import type { CreatedCodes } from '../created-codes.ts';
import { ExpiryNote } from './expiry-note.tsx';

type Props = CreatedCodes & { onRestart: () => void };

/** The commands and downloads that connect the sites, and the state of each site. */
export function ConnectedAddresses({ license, sites, onRestart }: Props) {
  const { data, error, refetch } = useQuery(enrolmentCodesQuery(license.id));
  const states = new Map(data?.map((code) => [code.id, code]));
  const used = sites.filter(({ code }) => states.get(code.id)?.status === 'used').length;
  const commands = sites.map(({ address, code }) =>
    messages.codes.wpCliLines(connectMessages.wpCli.command(code.plugin_url), address),
  );
  return (
    <>
      <Title order={2}>{messages.codes.title}</Title>
      <Text>{messages.codes.note}</Text>
      <ExpiryNote codes={sites.map(({ code }) => code)} />
      <div>
        <Text mb={4}>{messages.codes.wpCli}</Text>
        <CopyField isMultiline label={messages.codes.wpCliLabel} value={commands.join('\n')} />
      </div>
      <Text>
        {messages.codes.zip} <b>{connectMessages.zip.pluginsMenu}</b>.
      </Text>
      {error && <ErrorNote error={error} onRetry={refetch} />}
      <div role="status">
        <StatusLabel kind={used === sites.length ? 'good' : 'running'}>
          {messages.codes.connected(used, sites.length)}
        </StatusLabel>
      </div>
      <Table className={table.table}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{messages.columns.address}</Table.Th>
            <Table.Th>{messages.columns.state}</Table.Th>
            <Table.Th w={150}>{messages.columns.plugin}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sites.map(({ address, code }) => (
            <Table.Tr key={code.id}>
              <Table.Td>
                <NameText>{siteAddress(address)}</NameText>
              </Table.Td>
              <Table.Td>
                <State address={address} code={states.get(code.id)} />
              </Table.Td>
              <Table.Td>
                {states.get(code.id)?.status !== 'used' && (
                  <Anchor
                    inherit
                    href={new URL(code.plugin_url).pathname}
                    aria-label={messages.downloadFor(siteAddress(address))}
                  >
                    {messages.download}
                  </Anchor>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group>
        <Button variant="default" onClick={onRestart}>
          {messages.codes.another}
        </Button>
      </Group>
    </>
  );
}

/** A code can connect any site. If another site used it, its address is shown. */
function State({ address, code }: { address: string; code: EnrolmentCode | undefined }) {
  if (code?.status === 'expired') {
    return <StatusLabel kind="warn">{messages.expired}</StatusLabel>;
  }
  if (code?.status !== 'used' || !code.site) {
    return <StatusLabel kind="running">{messages.waiting}</StatusLabel>;
  }
  const connected = siteAddress(code.site.url);
  const isExpected = connected.toLowerCase() === siteAddress(address).toLowerCase();
  return (
    <StatusLabel kind="good">
      {isExpected ? '' : `${messages.connectedAs} `}
      <TextLink inherit to="/sites/$siteId" params={{ siteId: String(code.site.id) }}>
        {isExpected ? messages.isConnected : connected}
      </TextLink>
    </StatusLabel>
  );
}
