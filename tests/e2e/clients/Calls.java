// Calls with the client of openapi-generator for Java. `FLEET`, `KEY` and `TOKEN` are in the environment.

import java.util.List;
import java.util.Objects;

import mchezo.ApiClient;
import mchezo.ApiException;
import mchezo.api.AccountApiApi;
import mchezo.api.EventsApi;
import mchezo.api.GamesApi;
import mchezo.api.MirrorsApi;
import mchezo.api.SearchApi;
import mchezo.api.WebhooksApi;
import mchezo.model.ChangedGame;
import mchezo.model.CreatorResult;
import mchezo.model.DryRun;
import mchezo.model.ErrorResponse;
import mchezo.model.EventSubmission;
import mchezo.model.GameChange;
import mchezo.model.KeySubmission;
import mchezo.model.RankingMovedMessage;

public class Calls {
    static ApiClient client(String variable) {
        ApiClient client = new ApiClient();
        client.updateBaseUri(System.getenv("FLEET"));
        String authorization = "Bearer " + System.getenv(variable);
        client.setRequestInterceptor(request -> request.header("Authorization", authorization));
        return client;
    }

    static void check(boolean holds, Object what) {
        if (!holds) throw new AssertionError(what);
    }

    public static void main(String[] args) throws Exception {
        ApiClient key = client("KEY");
        ApiClient token = client("TOKEN");
        GamesApi games = new GamesApi(key);

    }
}
