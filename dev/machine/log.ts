/** Takes one line that tells a person what goes on. */
export type Log = (line: string) => void;
