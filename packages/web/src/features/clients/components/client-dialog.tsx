import { TextInput } from '@mantine/core';
import { CLIENT_NAME_MAX_LENGTH } from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { TimeZoneSelect } from '../../../components/time-zone-select.tsx';
import {
  type ClientItem,
  changeClient,
  createClient,
  logoUrl,
  refreshClients,
  removeLogo,
  uploadLogo,
} from '../../../lib/clients-api.ts';
import { notifySuccess } from '../../../lib/notify.ts';
import { browserZone } from '../../../lib/time-zones.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { clientsMessages } from '../../../messages/clients.ts';
import { type LogoChange, LogoField } from './logo-field.tsx';

const messages = clientsMessages.dialog;
const EMAIL_MAX_LENGTH = 254;

type Props = { client?: ClientItem; onClose: () => void };
type Fields = { name: string; contact_name: string; contact_email: string; time_zone: string };

const toFields = (client: ClientItem | undefined): Fields => ({
  name: client?.name ?? '',
  contact_name: client?.contact_name ?? '',
  contact_email: client?.contact_email ?? '',
  time_zone: client?.time_zone ?? browserZone(),
});

/** Creates a client, or changes this one. */
export function ClientDialog({ client, onClose }: Props) {
  const queryClient = useQueryClient();
  const before = toFields(client);
  const [fields, setFields] = useState(before);
  const [logo, setLogo] = useState<LogoChange>();
  const [saved, setSaved] = useState(client);
  const isUnchanged =
    logo === undefined &&
    (Object.keys(before) as (keyof Fields)[]).every((name) => fields[name].trim() === before[name]);

  const save = async () => {
    try {
      // The upload of the logo can fail. Then the next attempt must not create the client again.
      const { id, name } = saved
        ? await changeClient(saved.id, fields)
        : await createClient(fields).then(keep);
      if (logo) await uploadLogo(id, logo.file);
      else if (logo === null) await removeLogo(id);
      notifySuccess((client ? messages.saved : messages.created)(name));
    } finally {
      await refreshClients(queryClient);
    }
  };
  const keep = (created: ClientItem): ClientItem => {
    setSaved(created);
    return created;
  };
  const textProps = (name: keyof Fields) => ({
    label: LABELS[name],
    value: fields[name],
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) =>
      setFields({ ...fields, [name]: event.currentTarget.value }),
  });

  return (
    <ConfirmDialog
      title={client ? messages.editTitle : clientsMessages.create}
      confirmLabel={client ? messages.submit : clientsMessages.create}
      blockedBy={findBlock(fields, isUnchanged)}
      onConfirm={save}
      onClose={onClose}
    >
      <TextInput {...textProps('name')} maxLength={CLIENT_NAME_MAX_LENGTH} data-autofocus />
      <TextInput {...textProps('contact_name')} maxLength={CLIENT_NAME_MAX_LENGTH} />
      <TextInput {...textProps('contact_email')} type="email" maxLength={EMAIL_MAX_LENGTH} />
      <TimeZoneSelect
        label={messages.timeZone}
        value={fields.time_zone}
        onChange={(time_zone) => setFields({ ...fields, time_zone })}
      />
      <LogoField current={client ? logoUrl(client) : null} value={logo} onChange={setLogo} />
    </ConfirmDialog>
  );
}

const LABELS: Record<keyof Fields, string> = {
  name: messages.name,
  contact_name: messages.contactName,
  contact_email: messages.contactEmail,
  time_zone: messages.timeZone,
};

function findBlock({ name }: Fields, isUnchanged: boolean): string | null {
  if (name.trim() === '') return messages.nameMissing;
  return isUnchanged ? blockedMessages.unchanged : null;
}
