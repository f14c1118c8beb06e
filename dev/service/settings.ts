/** How an answer with status 429 says when to come back. */
export type RetryAfter = 'seconds' | 'date' | 'none';

export interface RateSetting {
	limit: number;
	/** Absent: the profile's own window. */
	windowMs?: number;
	/** Absent: the profile's own way. */
	retryAfter?: RetryAfter;
}

/** What can be changed while the service runs. */
export interface Settings {
	latencyMs: number;
	/** null: no limit is enforced; the two rate headers are sent all the same. */
	rate: RateSetting | null;
	/** Requests of one key that may be in flight at once; null: any number. */
	maxInFlight: number | null;
	extractionMs: number;
	/** From the trigger of an extraction until `is_extracting` becomes true. */
	startMs: number;
	/** How the values of a document come: all at once, one column after the other, or as nulls first. */
	resultShape: 'whole' | 'growing' | 'nulls';
	/** Between two columns, where they do not come at once. */
	resultPauseMs: number;
	/** From the end of an extraction, as its signs show it, until its results can be read. */
	resultLagMs: number;
	/** Documents of one workflow that are extracted at the same time. */
	extractionWorkers: number;
	uploadUrlLifetimeMs: number;
	/** Of the URLs of documents' files in results. */
	fileUrlLifetimeMs: number;
	/** 403 as at S3 and Azure, or 400 as at Google. */
	expiredUrlStatus: 400 | 403;
	/** How often a file may be put to the same upload URL. */
	uploadUrlUses: number;
	/** Refuses direct uploads of files that are sent as PDFs and are none. */
	checksPdfs: boolean;
}

export const defaultSettings: Settings = {
	latencyMs: 0,
	rate: null,
	maxInFlight: null,
	extractionMs: 300,
	startMs: 150,
	resultShape: 'whole',
	resultPauseMs: 1_000,
	resultLagMs: 0,
	extractionWorkers: 8,
	uploadUrlLifetimeMs: 15 * 60_000,
	fileUrlLifetimeMs: 24 * 60 * 60_000,
	expiredUrlStatus: 403,
	uploadUrlUses: 1,
	checksPdfs: false,
};
