"""Addresses of the browser UI."""

from django.contrib.auth import views as auth_views
from django.urls import include, path

from web.views import account, home, insights, record, search, timeline, value, write

pages = (
    [
        path("", home.Home.as_view(), name="home"),
        path("seen/", home.Seen.as_view(), name="seen"),
        path("tenant/", account.SwitchTenant.as_view(), name="tenant"),
        path("theme/", account.SetTheme.as_view(), name="theme"),
        path("live/session/", write.LiveSession.as_view(), name="live-session"),
        path("search/", search.Search.as_view(), name="search"),
        path("search/suggest/", search.Suggest.as_view(), name="suggest"),
        path("search/values/", search.SuggestValues.as_view(), name="suggest-values"),
        path("search/save/", home.SaveSearch.as_view(), name="search-save"),
        path("search/saved/<int:pk>/forget/", home.ForgetSearch.as_view(), name="search-forget"),
        path("values/", search.ValuesOfLabel.as_view(), name="values-of-label"),
        path("values/<str:label>/<path:value>/rename", value.RenameValue.as_view(), name="value-rename"),
        path("values/<str:label>/<path:value>/", value.Value.as_view(), name="value"),
        path("records/new/", write.NewRecord.as_view(), name="record-new"),
        path("records/<str:sr_id>/", record.RecordPage.as_view(), name="record"),
        path("records/<str:sr_id>/part/<str:part>/", record.RecordPart.as_view(), name="record-part"),
        path("records/<str:sr_id>/radius/", record.RecordRadius.as_view(), name="record-radius"),
        path("records/<str:sr_id>/hub/", record.RecordHub.as_view(), name="record-hub"),
        path("records/<str:sr_id>/path/", record.RecordPath.as_view(), name="record-path"),
        path("records/<str:sr_id>/edit/", write.EditRecord.as_view(), name="record-edit"),
        path("records/<str:sr_id>/properties/", write.Properties.as_view(), name="record-properties"),
        path("records/<str:sr_id>/connect/", write.Connect.as_view(), name="record-connect"),
        path("records/<str:sr_id>/correct/", write.Correct.as_view(), name="record-correct"),
        path("records/<str:sr_id>/delete/", write.Delete.as_view(), name="record-delete"),
        path("timeline/", timeline.Timeline.as_view(), name="timeline"),
        path("timeline/export/<str:fmt>/", timeline.TimelineExport.as_view(), name="timeline-export"),
        path("insights/", insights.Insights.as_view(), name="insights"),
    ],
    "web",
)

urlpatterns = [
    path("", include(pages)),
    path("accounts/login/", account.SignIn.as_view(), name="login"),
    path("accounts/logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("accounts/password_change/", account.PasswordChange.as_view(), name="password_change"),
]
