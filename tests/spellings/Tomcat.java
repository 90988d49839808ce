// An origin on embedded Tomcat: answers each request with the path that it resolved, as the base64 of its UTF-8.
// java -cp '.baton/tomcat/*' tests/spellings/Tomcat.java

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

  public static void main(String[] args) throws Exception {
    java.util.logging.LogManager.getLogManager().reset();
    var tomcat = new org.apache.catalina.startup.Tomcat();
    var base = Files.createTempDirectory("baton-tomcat-");
    tomcat.setBaseDir(base.toString());
    tomcat.setPort(0);
    // The widest reading that it can be set to: an encoded slash is a slash, a backslash too.
    tomcat.getConnector().setEncodedSolidusHandling(args.length > 0 ? args[0] : "reject");
    tomcat.getConnector().setAllowBackslash(args.length > 0);
    var context = tomcat.addContext("", base.toString());
    tomcat.addServlet("", "echo", new Echo());
    context.addServletMappingDecoded("/*", "echo");
    tomcat.start();
    System.out.println("listening on 127.0.0.1:" + tomcat.getConnector().getLocalPort());
    tomcat.getServer().await();
  }
}
