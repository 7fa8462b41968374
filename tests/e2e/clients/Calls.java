// Calls with the client of openapi-generator for Java. `FLEET`, `KEY` and `TOKEN` are in the environment.

import java.time.LocalDate;
import java.util.List;

import com.fasterxml.jackson.core.JsonProcessingException;

import mchezo.ApiClient;
import mchezo.ApiException;
import mchezo.api.AccountApiApi;
import mchezo.api.AccountApiApi.APICreateKeyRequest;
import mchezo.api.AccountApiApi.APIRotateKeyRequest;
import mchezo.api.EventsApi;
import mchezo.api.EventsApi.APISubmitEventRequest;
import mchezo.api.GamesApi;
import mchezo.api.GamesApi.APIGetGameRequest;
import mchezo.api.GamesApi.APIListGamesRequest;
import mchezo.api.GamesApi.APIUpdateGameRequest;
import mchezo.api.SearchApi;
import mchezo.api.SearchApi.APISearchRequest;
import mchezo.api.WebhooksApi;
import mchezo.api.WebhooksApi.APIListMessagesRequest;
import mchezo.model.CreatorResult;
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

    public static void main(String[] args) throws ApiException, JsonProcessingException {
        ApiClient key = client("KEY");
        ApiClient token = client("TOKEN");
        GamesApi games = new GamesApi(key);

        var list = games.listGames(APIListGamesRequest.newBuilder().country("KE").limit(2).build());
        String slug = list.getData().get(0).getSlug();

        var game = games.getGame(APIGetGameRequest.newBuilder().slug(slug).build());
        check(game.getData().getSlug().equals(slug), game);

        GameChange change = new GameChange().tagline("Longer roads, less water.");
        var changed = games.updateGame(APIUpdateGameRequest.newBuilder().slug(slug).gameChange(change).build());
        check(changed.getData().getDryRun().getWould().equals("update"), changed);

        EventSubmission event = new EventSubmission()
                .title("A Jam")
                .kind(EventSubmission.KindEnum.JAM)
                .startsAt(LocalDate.of(2027, 2, 27))
                .countryCode("GH")
                .city("Accra");
        var submission = APISubmitEventRequest.newBuilder().eventSubmission(event).idempotencyKey("java").build();
        var submitted = new EventsApi(key).submitEvent(submission);
        check(submitted.getData().getWould().equals("create"), submitted);

        var found = new SearchApi(key).search(APISearchRequest.newBuilder().q("sample").build());
        List<String> handles = found.getData().stream()
                .filter(result -> result.getActualInstance() instanceof CreatorResult)
                .map(result -> result.getCreatorResult().getHandle())
                .toList();
        check(!handles.isEmpty(), found);

        var messages = new WebhooksApi(key).listMessages(APIListMessagesRequest.newBuilder().limit(100).build());
        List<Integer> ranks = messages.getData().stream()
                .filter(message -> message.getActualInstance() instanceof RankingMovedMessage)
                .map(message -> message.getRankingMovedMessage().getData().getRank())
                .toList();
        check(!ranks.isEmpty(), messages);

        AccountApiApi account = new AccountApiApi(token);
        KeySubmission wanted = new KeySubmission().name("java").mode(KeySubmission.ModeEnum.TEST);
        var made = account.createKey(APICreateKeyRequest.newBuilder().keySubmission(wanted).build());
        var id = made.getData().getKey().getId();

        var rotated = account.rotateKey(APIRotateKeyRequest.newBuilder().id(id).graceSeconds(0).build());
        check(rotated.getData().getOldKey().getId().equals(id), rotated);

        try {
            game = games.getGame(APIGetGameRequest.newBuilder().slug("nothing").build());
            check(false, game);
        } catch (ApiException refused) {
            var error = key.getObjectMapper().readValue(refused.getResponseBody(), ErrorResponse.class);
            check(error.getError().getCode().equals("not_found"), error);
        }
    }
}
