import { Button, FileButton, Group, Text, Textarea } from '@mantine/core';
import { ENROLMENT_CODES_MAX, type LicenseSummary } from '@steward/contract';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Blockable } from '../../../components/blockable.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { createEnrolmentCodes } from '../../../lib/licenses-api.ts';
import { connectMessages } from '../../../messages/connect.ts';
import { connectManyMessages as messages } from '../../../messages/connect-many.ts';
import type { CreatedCodes } from '../created-codes.ts';
import { CreateLicenseDialog } from '../dialogs.ts';
import { parseAddresses } from '../parse-addresses.ts';
import { LicensePicker } from './license-picker.tsx';

type Props = {
  suggested: LicenseSummary | null;
  onCreated: (created: CreatedCodes) => void;
};

/** Reads the addresses and creates a code for each. */
export function AddressesForm({ suggested, onCreated }: Props) {
  const [license, setLicense] = useState(suggested);
  const [isCreating, setCreating] = useState(false);
  const [text, setText] = useState('');
  const { addresses, invalid } = parseAddresses(text);
  const create = useMutation({
    mutationFn: async (license: LicenseSummary) => {
      const codes = await createEnrolmentCodes(license.id, addresses.length);
      const sites = codes.map((code, index) => ({ address: addresses[index] ?? '', code }));
      return { license, sites };
    },
    gcTime: 0,
    onSuccess: onCreated,
  });
  const free = license?.sites_remaining ?? null;
  const isFewSeats = free !== null && free < addresses.length;
  return (
    <>
      <LicensePicker value={license} onChange={setLicense} onCreate={() => setCreating(true)} />
      {license && !license.valid && <Text>{connectMessages.notValid}</Text>}
      <Textarea
        label={messages.addresses}
        description={messages.addressesHint}
        placeholder={messages.placeholder}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        rows={8}
        spellCheck={false}
      />
      <div role="status">
        {addresses.length > 0 && <Text size="sm">{messages.found(addresses.length)}</Text>}
        {invalid.length > 0 && <Text size="sm">{messages.invalid(invalid)}</Text>}
        {isFewSeats && <Text size="sm">{messages.fewSeats(free)}</Text>}
      </div>
      {create.error && <ErrorNote error={create.error} />}
      <Group gap="xs">
        <Blockable reason={findBlock(license, addresses.length)}>
          <Button loading={create.isPending} onClick={() => license && create.mutate(license)}>
            {messages.create(addresses.length)}
          </Button>
        </Blockable>
        <FileButton
          onChange={(file) => void file?.text().then((content) => setText(content))}
          accept=".csv,.txt,text/csv,text/plain"
        >
          {(props) => (
            <Button variant="default" {...props}>
              {messages.readFile}
            </Button>
          )}
        </FileButton>
      </Group>
      {isCreating && <CreateLicenseDialog onClose={() => setCreating(false)} />}
    </>
  );
}

function findBlock(license: LicenseSummary | null, sites: number): string | null {
  if (license === null) return connectMessages.chooseLicense;
  if (!license.valid) return connectMessages.notValid;
  if (sites === 0) return messages.nothing;
  return sites > ENROLMENT_CODES_MAX ? messages.tooMany : null;
}
