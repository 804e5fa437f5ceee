import { Anchor, FileButton, Loader, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type DragEvent, useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { type UploadedPackage, uploadPackage } from '../../../lib/packages-api.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import styles from './upload-field.module.css';

const messages = packagesMessages.install;
const ZIP_TYPES = '.zip,application/zip';

/** Uploads a zip file, by drag and drop or from a file dialog, and shows what it contains. */
export function UploadField({
  onChange,
}: {
  onChange: (uploaded: UploadedPackage | null) => void;
}) {
  const [isOver, setOver] = useState(false);
  const upload = useMutation({
    mutationFn: uploadPackage,
    onMutate: () => onChange(null),
  });
  const start = (file: File | null | undefined) => {
    // A callback of `mutate` is not called after the field is removed: the user has chosen another source then.
    if (file && !upload.isPending) upload.mutate(file, { onSuccess: onChange });
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    start(event.dataTransfer.files[0]);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping a file does the same as the button in it. */}
      <div
        className={styles.area}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        {upload.isPending ? (
          <span className={styles.busy} role="status">
            <Loader size={16} aria-hidden />
            {messages.uploading(upload.variables.name)}
          </span>
        ) : (
          <>
            {upload.data && <PackageFacts uploaded={upload.data} />}
            <span>
              {!upload.data && messages.drop}
              <FileButton onChange={start} accept={ZIP_TYPES}>
                {(props) => (
                  <Anchor component="button" type="button" {...props}>
                    {upload.data ? messages.otherFile : messages.choose}
                  </Anchor>
                )}
              </FileButton>
            </span>
            {!upload.data && (
              <Text c="dimmed" size="sm">
                {messages.maximum}
              </Text>
            )}
          </>
        )}
      </div>
      {upload.error && <ErrorNote error={upload.error} />}
    </>
  );
}

function PackageFacts({ uploaded }: { uploaded: UploadedPackage }) {
  const { type, slug, name, version, requires, requires_php } = uploaded;
  const needs = messages.requires(requires, requires_php);
  return (
    <div role="status">
      <Text fw={500}>
        {name} <span className="mono tabular">{version}</span>
      </Text>
      <Text c="dimmed" size="sm">
        {messages.what(type, slug)}
        {needs !== '' && (
          <>
            <br />
            {messages.requiresPrefix}
            {needs}
          </>
        )}
      </Text>
    </div>
  );
}
