import { getAdditionalKeys } from 'n8n-core';
import {
	deepCopy,
	ICredentialsHelper,
	NodeHelpers,
	type ICredentialDataDecryptedObject,
	type ICredentialsExpressionResolveValues,
	type ICredentialType,
	type IExecuteData,
	type IHttpRequestOptions,
	type INodeCredentialsDetails,
	type INodeParameters,
	type INodeProperties,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

export function notPartOfTheTests(): never {
	throw new Error('This part of n8n is not there in the tests');
}

/**
 * Hands out credentials as n8n's own helper does, except that they come from memory, unencrypted:
 * defaults are filled in, fields that their display options hide are left out, expressions are
 * resolved for the item, and the credential type's own `authenticate` signs the request.
 */
export class InMemoryCredentialsHelper extends ICredentialsHelper {
	constructor(
		private readonly type: ICredentialType,
		private readonly supportedNodeType: string,
		private readonly stored?: ICredentialDataDecryptedObject,
	) {
		super();
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(_credentialType: string, nodeType: string): boolean {
		return !this.type.restrictToSupportedNodes || nodeType === this.supportedNodeType;
	}

	getCredentialsProperties(): INodeProperties[] {
		return this.type.properties;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.type;
		if (typeof authenticate !== 'function') {
			throw new Error(`Credential type '${typeName}' does not authenticate by a function`);
		}
		return await authenticate(credentials, requestOptions);
	}

	async preAuthentication(): Promise<undefined> {
		// n8n calls it before each request, and does something only for a field that expires.
		return undefined;
	}

	async getDecrypted(
		additionalData: IWorkflowExecuteAdditionalData,
		_nodeCredentials: INodeCredentialsDetails,
		_type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		raw?: boolean,
		itemContext?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		if (!this.stored) throw new Error('The test gave the node no credential');
		if (raw) return deepCopy(this.stored);

		const shown = NodeHelpers.getNodeParameters(
			this.type.properties,
			deepCopy(this.stored) as INodeParameters,
			true,
			false,
			null,
			null,
		) as INodeParameters;
		// For a list of the editor, which no test gives an expression.
		if (!itemContext) return shown as ICredentialDataDecryptedObject;
		return itemContext.workflow.expression.getParameterValue(
			shown,
			itemContext.runExecutionData,
			itemContext.runIndex,
			itemContext.itemIndex,
			itemContext.node.name,
			itemContext.connectionInputData,
			mode,
			getAdditionalKeys(additionalData, mode, null, { isCredential: true }),
			executeData,
			false,
			shown,
		) as ICredentialDataDecryptedObject;
	}

	runPreAuthentication = notPartOfTheTests;

	getCredentials = notPartOfTheTests;

	updateCredentials = notPartOfTheTests;

	updateCredentialsOauthTokenData = notPartOfTheTests;
}
