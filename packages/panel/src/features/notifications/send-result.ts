/** The result of one attempt to send a message. */
export type SendResult =
  | { kind: 'delivered'; httpStatus: number | null }
  /** The process stops. The message may be sent again. */
  | { kind: 'stopped' }
  | {
      kind: 'failed';
      /** For owners: what happened and what to do. Contains no URL and no secret. */
      error: string;
      httpStatus: number | null;
      /** True: a retry cannot succeed. */
      isFinal: boolean;
      /** True: the receiver wants no further messages. */
      isGone?: boolean;
    };
