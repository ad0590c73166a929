/**
 * Error names and numbers that vendors document, by class. Names are compared in lower case and hold whatever the
 * vendor; numbers are tied to the field that carries them, because vendors reuse each other's numbers.
 */
import type { FailureClass } from '../../contract/failure.ts'

/**
 * True for failures that the host answers itself (it moves images out of the request and asks again); pass them on.
 * @param code - the host's failure code
 */
export function isHostOwned(code: string | null | undefined): boolean {
  return code === 'IMAGE_OFFLOAD_REQUIRED'
}

type CodeTable = Partial<Record<FailureClass, readonly string[]>>

/** One string per class keeps the tables readable: names separated by blanks. */
function names(table: Partial<Record<FailureClass, string>>): CodeTable {
  return Object.fromEntries(Object.entries(table).map(([kind, list]) => [kind, list.split(/\s+/).filter(Boolean)]))
}

/** Names that state the cause by themselves. */
export const STRONG_NAMES = names({
  context_too_long: `
    context_length_exceeded context_window_exceeded contextwindowexceedederror exceed_context_size_error
    model_max_prompt_tokens_exceeded max_prompt_tokens_exceeded request_too_large tokens_limit_reached
    string_above_max_length prompt_too_long input_too_long context_too_long contextoverflowerror
    max_tokens_exceeded_context content_length_exceeds_threshold input_token_limit_exceeded payload_too_large`,
  content_filter: `
    content_filter content_filtered contentpolicyviolationerror content_policy_violation responsibleaipolicyviolation
    datainspectionfailed data_inspection_failed sensitive_words_detected prompt_blocked sensitivecontentdetected
    inputtextsensitivecontentdetected outputtextsensitivecontentdetected inputimagesensitivecontentdetected
    outputimagesensitivecontentdetected inputvideosensitivecontentdetected faqruleblocked textillegaldetected
    imageillegaldetected safety_check_failed moderation_blocked prohibited_content blocklist cyber_policy_violation
    censorship_blocked content_moderation_failed invalid_prompt guardrail_intervened modelarts.81011`,
  unsupported_modality: `
    unsupported_image unsupported_content unsupported_modality image_not_supported model_not_support_image
    tool_use_not_supported tools_not_supported image_url_not_supported unsupportedimageformat`,
  capacity: `
    overloaded_error engine_overloaded_error engine_overloaded serveroverloaded server_overloaded model_overloaded
    model_capacity_exhausted modelnotreadyexception concurrency_limit_exceeded max_parallel_requests
    concurrent_request_limit_exceeded too_many_concurrent_requests userconcurrentrequests engineserverlimitexceeded
    preemptible_server_overload system_busy model_busy nocapacity capacity_exceeded queue_full slow_queue
    server_is_overloaded insufficient_capacity throttling.concurrency no_available_accounts`,
  quota: `
    insufficient_quota insufficient_user_quota insufficient_balance insufficient_credits insufficient_credit
    insufficient_funds exceeded_current_quota_error quota_exceeded quota_exhausted quote_exceeded free_quota_exceeded
    freeusagelimiterror billing_hard_limit_reached billing_not_active billing_error billing_disabled
    usage_limit_reached usage_limit_exceeded usage_not_included pre_consume_token_quota_failed reject_no_credit
    arrearage accountoverdueerror serviceoverdue prepaidbilloverdue postpaidbilloverdue commoditynotpurchased
    freetieronly setlimitexceeded quotaexceeded resourcepackexhausted freeresourcepackexhausted servicestoparrears
    setpaymodeexceed chargeresourceexhaust budgetexceedederror budget_exceeded exceededbudget payment_required
    credit_limit_exceeded daily_limit_exceeded monthly_limit_exceeded user_weekly_rate_limited
    tpd_rate_limit_exceeded rpd_rate_limit_exceeded account_balance_insufficient servicequotaexceededexception
    free-models-per-day userbymodelbyday subscription_expired plan_expired token_quota_exhausted credits_exhausted
    spending_limit_exceeded no_credits balance_not_enough modelarts.81005 accountquotaexceeded premium_quota_exceeded
    accountratelimitexceeded.daily user_quota_exceeded trial_expired resourceinsufficient.chargeresourceexhaust`,
  forbidden: `
    unsupported_country_region_territory account_deactivated organization_disabled account_suspended account_blocked
    ip_not_authorized access_terminated accessdeniedexception model_access_denied user_blocked
    service_disabled consumer_suspended access_denied accessdenied unpurchased servicenotactivated userunautherror
    unauthorizedoperation group_access_denied token_model_forbidden key_model_access_denied
    team_model_access_denied workspace_disabled region_not_supported model_not_in_plan`,
  auth: `
    invalid_api_key invalidapikey api_key_invalid incorrect_api_key invalid_authentication_error
    incorrect_api_key_error authentication_error authenticationerror unauthenticated unauthorized
    unrecognizedclientexception expiredtokenexception invalidclienttokenid invalidsignatureexception authfailure
    missing_api_key invalid_token token_expired token_invalidated token_revoked invalid_grant
    invalid_iam_token missingauthenticationtokenexception api_key_expired api_key_disabled no_auth_credentials
    refresh_token_reused app_session_terminated login_required invalid_key channel:invalid_key modelarts.81003
    modelarts.81002`,
  model_not_found: `
    model_not_found modelnotfound model_not_exist model_not_supported model_not_available modelnotopen invalid_model
    unknown_model deploymentnotfound deployment_not_found invalidendpointormodel modelidaccessdisabled
    invalid_model_error model_does_not_exist model_decommissioned model_deprecated unsupported_api_for_model
    resourcenotfoundexception no_such_model modelarts.81009 unsupportedmodel model_unavailable
    resource_not_found_error not_found_error notfounderror invalidendpoint.notfound model_mapped_error
    channel:model_mapped_error model_not_in_list`,
  upstream_unavailable: `
    provider_unavailable upstream_unavailable no_available_provider no_provider_available no_available_key
    channel:no_available_key get_channel_failed do_request_failed closedendpoint endpoint_paused
    no_healthy_upstream deployment_unavailable modelnotavailable endpointdisabled servicestop`,
  timeout: `
    timeout_error request_timeout upstream_timeout deadline_exceeded apitimeouterror modeltimeoutexception
    response_time_exceeded channel:response_time_exceeded enginerequesttimeout requesttimeout requesttimeout.timeout
    gateway_timeout apig.0203 readtimeout responsetimeout`,
  empty_response: 'empty_response empty_completion no_content_generated',
  bad_output: 'malformed_function_call bad_response_body unmarshal_response_failed bad_response read_response_body_failed modelstreamerrorexception',
})

/** How new names of a kind are usually built; a name of such a shape counts like one of the list. */
export const NAME_SHAPES: Partial<Record<FailureClass, RegExp>> = {
  context_too_long: /context_(?:length|window|limit|size)\w*(?:exceed|overflow)|(?:prompt|input|context|request)_too_(?:long|large|big)/,
  content_filter: /(?:content|safety|moderation|policy)_(?:filter|violat|block|flag)|sensitive_(?:word|content|info)/,
  capacity: /overload|(?:capacity|queue|concurrency)_(?:\w+_)?(?:exceed|full|exhaust|saturat|limit)|(?:server|model|system)_busy|insufficient_system_resource|waiting_room/,
  quota: /(?:quota|credits?|balance|budget|spend\w*|usage|allowance)_(?:\w+_)?(?:exceed|exhaust|insufficient|deplet|reached|not_enough)|(?:insufficient|exhausted|exceeded|no|out_of|not_enough)_(?:\w+_)?(?:quota|credit|balance|fund|budget)/,
  auth: /(?:invalid|expired|missing|incorrect|wrong)_?(?:api_?key|access_token|auth_?token|credential)|(?:access_token|api_?key|auth_?token)_?(?:expired|invalid|revoked|missing)/,
  model_not_found: /model_?(?:is_)?not_?(?:found|exist|available|supported|open|allowed)|(?:unknown|invalid|unsupported|no_such)_model$/,
  upstream_unavailable: /(?:upstream|provider|endpoint|backend|channel)_(?:is_)?(?:unavailable|down|unreachable|disabled)|no_(?:available|healthy)_(?:upstream|provider|channel|endpoint|candidate)/,
}

/** Names that name only the family of a failure; clearer wording beside them wins. */
export const WEAK_NAMES = names({
  rate_limit: `
    rate_limit_error rate_limit_exceeded rate_limit_reached_error ratelimiterror rate_limited throttling throttled
    throttlingexception throttling_exception too_many_requests toomanyrequests toomanyrequestsexception
    resource_exhausted ratelimitexceeded requestlimitexceeded limitexceeded limitrequests rate_limit too_many_tokens_error
    too_many_requests_error ratequota allocationquota burstrate rpm_rate_limit_exceeded tpm_rate_limit_exceeded
    user_global_rate_limited user_model_rate_limited integration_rate_limited model_cooldown limit_burst_rate
    limit_requests endpointrpmexceeded endpointtpmexceeded modelaccountrpmratelimitexceeded requestburst
    modelaccounttpmratelimitexceeded modelaccountipmratelimitexceeded qpslimitexceeded routerratelimiterror
    apprequestlimit request_limit_exceeded modelarts.81101 modelarts.81103 inflightbatchsizeexceeded.rate`,
  invalid_request: `
    invalid_request_error invalid_request invalidparameter invalid_parameter invalid_argument missingparameter
    badrequesterror badrequest bad_request validationexception unprocessable_entity_error invalidparametervalue
    unsupported_parameter unsupported_value invalid_params invalid_value integer_above_max_value validation_error
    invalid-argument bad_request_body read_request_body_failed convert_request_failed failed_precondition
    unsupportedoperation invalid_api_type`,
  model_not_found: 'not_found notfound',
  server: `
    server_error api_error internal_server_error internalservererror internal_error internalerror
    internalserverexception modelerrorexception apierror service_unavailable serviceunavailable
    serviceunavailableexception service_unavailable_error engineservererror upstream_error provider_api_error
    provider_error bad_response_status_code provider_internal_server_error unavailable new_api_panic`,
  timeout: 'timeout timeouterror',
  transport: 'apiconnectionerror connectionerror connecterror',
})

/** Numbers as `field:number`; `status_code` is MiniMax's envelope, `tail` its "(2056)" at the end of a text. */
const miniMax = (...list: number[]): string[] => list.flatMap((n) => [`status_code:${n}`, `tail:${n}`])
const coded = (...list: number[]): string[] => list.map((n) => `code:${n}`)
const errorCoded = (...list: number[]): string[] => list.map((n) => `error_code:${n}`)

/**
 * BigModel/Z.ai 1xxx, SiliconFlow 2xxxx–5xxxx, Spark 1xxxx and Qoder's 112 and 10605 in `code`; MiniMax; Qianfan v1 in `error_code`.
 * Left to the text and the status: codes of several causes (SiliconFlow 20015, MiniMax 2013), and BigModel's
 * 1000–1004, which are web socket close codes elsewhere and always come with a 401.
 */
export const NUMBERS: CodeTable = {
  context_too_long: [...coded(1261, 10907), ...errorCoded(336103, 336007)],
  content_filter: [...coded(1300, 1301, 10013, 10014, 10019), ...miniMax(1026, 1027), ...errorCoded(336104)],
  capacity: [
    ...coded(1305, 1312, 10605, 10006, 10008, 10110, 11203, 50505, 50508, 50603, 50609),
    ...miniMax(1041),
    ...errorCoded(336100, 2),
  ],
  quota: [
    ...coded(112, 1113, 1304, 1308, 1309, 1310, 11201, 30001, 30011),
    ...miniMax(1008, 2056),
    ...errorCoded(4, 17, 19, 336503),
  ],
  forbidden: [...coded(1110, 1112, 1120, 1121, 1220, 1311, 11200, 10015, 10016, 10017, 10018), ...miniMax(2061), ...errorCoded(6)],
  auth: [...coded(1111), ...miniMax(1004, 2049), ...errorCoded(13, 14, 15, 110, 111, 336004)],
  model_not_found: [...coded(1211, 1212, 1221, 1222, 20012, 30003, 30004), ...errorCoded(3, 336006)],
  rate_limit: [...coded(1302, 1303, 1313, 10007, 11202, 11210), ...miniMax(1002, 1039, 2045), ...errorCoded(18, 336501, 336502)],
  timeout: [...miniMax(1001)],
  server: [...coded(1234, 1230), ...miniMax(1000, 1013, 1033), ...errorCoded(1, 336000)],
  invalid_request: [...coded(1210, 1213, 1214, 1215, 1231, 10003, 10004, 10005, 10163), ...errorCoded(336001, 336002, 336003)],
}
