// An origin on embedded Tomcat: answers each request with the path that it resolved, as the base64 of its UTF-8.
// java -cp '.baton/tomcat/*' tests/spellings/Tomcat.java [decode|reject [shop]]

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Base64;

public class Tomcat {
  static class Echo extends HttpServlet {
    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
      String info = request.getPathInfo();
      String path = request.getServletPath() + (info == null ? "" : info);
      response.getOutputStream().write(Base64.getEncoder().encode(path.getBytes(StandardCharsets.UTF_8)));
    }
  }

  static class Buy extends HttpServlet {
    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
      response.getWriter().write("buy");
    }
  }

  public static void main(String[] args) throws Exception {
    java.util.logging.LogManager.getLogManager().reset();
    var tomcat = new org.apache.catalina.startup.Tomcat();
    var base = Files.createTempDirectory("baton-tomcat-");
    tomcat.setBaseDir(base.toString());
    tomcat.setPort(0);
    // The widest reading that it can be set to: an encoded slash is a slash, a backslash too.
    var isWide = args.length > 0 && args[0].equals("decode");
    tomcat.getConnector().setEncodedSolidusHandling(isWide ? "decode" : "reject");
    tomcat.getConnector().setAllowBackslash(isWide);
    var context = tomcat.addContext("", base.toString());
    tomcat.addServlet("", "echo", new Echo());
    context.addServletMappingDecoded("/*", "echo");
    // With a gated page, as the other shops of `npm run check-world -- origins`.
    if (args.length > 1) {
      tomcat.addServlet("", "buy", new Buy());
      context.addServletMappingDecoded("/buy/*", "buy");
    }
    tomcat.start();
    System.out.println("listening on 127.0.0.1:" + tomcat.getConnector().getLocalPort());
    tomcat.getServer().await();
  }
}
