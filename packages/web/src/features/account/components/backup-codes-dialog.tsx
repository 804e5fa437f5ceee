import { Button, Code, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core';
import { CopyField } from '../../../components/copy-field.tsx';

type Props = { codes: string[]; onClose: () => void };

/** Shown once: the panel keeps only what is needed to recognise them. */
export function BackupCodesDialog({ codes, onClose }: Props) {
  return (
    <Modal
      opened
      title="Your backup codes"
      onClose={onClose}
      // The codes would be lost.
      closeOnClickOutside={false}
      closeOnEscape={false}
      size="md"
    >
      <Stack gap="sm">
        <Text>
          Keep these codes somewhere safe, not on the device that has your second factor. Each signs
          you in once, should you lose it. They are shown only now.
        </Text>
        <SimpleGrid cols={2} spacing={4}>
          {codes.map((code) => (
            <Code key={code} fz="md">
              {code}
            </Code>
          ))}
        </SimpleGrid>
        <CopyField label="All backup codes" value={codes.join(' ')} />
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            I have stored them
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
