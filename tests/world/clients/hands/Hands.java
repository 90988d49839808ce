// Java's client: asks what each line of the input says, `METHOD URL`. The first argument is `alone` or `kept` (with what keeps the place).

import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Scanner;

public class Hands {
  public static void main(String[] given) throws Exception {
    HttpClient.Builder builder = HttpClient.newBuilder();
    if (given[0].equals("kept")) builder.cookieHandler(new CookieManager());
    HttpClient client = builder.build();
    Scanner lines = new Scanner(System.in);
    while (lines.hasNextLine()) {
      String[] asked = lines.nextLine().split(" ");
      HttpRequest request = HttpRequest.newBuilder(URI.create(asked[1])).method(asked[0], BodyPublishers.noBody()).build();
      System.out.println(client.send(request, BodyHandlers.ofString()).statusCode());
    }
  }
}
