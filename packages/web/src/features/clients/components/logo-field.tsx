import { Button, FileButton, Group, Input } from '@mantine/core';
import { useState } from 'react';
import { DangerButton } from '../../../components/danger-button.tsx';
import { clientsMessages } from '../../../messages/clients.ts';
import { ACCEPTED_LOGOS, findLogoProblem } from '../logo-file.ts';
import styles from './logo-field.module.css';

const messages = clientsMessages.logo;

/** A new image with its preview, or null: no logo. */
export type LogoChange = { file: File; preview: string } | null;

type Props = {
  /** The address of the current image. */
  current: string | null;
  /** Undefined: the logo stays as it is. */
  value: LogoChange | undefined;
  onChange: (change: LogoChange | undefined) => void;
};

/** Chooses an image and shows it. The dialog uploads it when it saves. */
export function LogoField({ current, value, onChange }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const shown = value === undefined ? current : (value?.preview ?? null);
  const choose = async (file: File | null) => {
    if (!file) return;
    const found = findLogoProblem(file);
    setProblem(found);
    if (found === null) onChange({ file, preview: await readAsDataUrl(file) });
  };
  const remove = () => {
    setProblem(null);
    onChange(current === null ? undefined : null);
  };
  return (
    <Input.Wrapper
      label={messages.label}
      labelElement="div"
      description={messages.hint}
      error={problem}
    >
      <Group gap="xs" mt={6}>
        {shown !== null && (
          <img
            src={shown}
            alt={messages.preview}
            className={styles.logo}
            onError={() => {
              setProblem(messages.unreadable);
              onChange(undefined);
            }}
          />
        )}
        <FileButton onChange={(file) => void choose(file)} accept={ACCEPTED_LOGOS}>
          {(props) => (
            <Button variant="default" size="xs" {...props}>
              {shown === null ? messages.choose : messages.chooseOther}
            </Button>
          )}
        </FileButton>
        {shown !== null && (
          <DangerButton size="xs" onClick={remove}>
            {messages.remove}
          </DangerButton>
        )}
      </Group>
    </Input.Wrapper>
  );
}

/** The content security policy of the panel allows `data:` images, but no `blob:` images. */
function readAsDataUrl(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
  return promise;
}
