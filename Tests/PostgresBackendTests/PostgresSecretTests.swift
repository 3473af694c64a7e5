import Foundation
import ORM
import PostgresBackend
import TestSupport
import Testing

/// Locations and options that hold a password, and every way in which a program shows a value.
@Suite("9.4: No text shows a password")
struct PostgresSecretTests {
  private static let secret = "S3CRET"

  /// Locations as they should be, and texts of other forms that people give for them.
  private static let locations = [
    "postgres:app:S3CRET@localhost/shop",
    "postgresql://app:S3CRET@localhost:5432/shop?sslmode=disable",
    "postgres:app@localhost/shop?password=S3CRET",
    "postgres:app@localhost/shop?namespace=a&password=S3CRET",
    "postgres:host=localhost password=S3CRET",
    "postgres:host=localhost user=app password=S3CRET dbname=shop",
    "postgres:password=S3CRET", "postgres:app:S3CRET", "postgres:app:S3CRET/shop",
    "postgres:app:p@S3CRET@localhost/shop", "postgres:app:p/S3CRET@localhost/shop",
    "postgres:app:12/S3CRET@localhost/shop", "postgres:app:p?S3CRET@localhost/shop",
    "postgres:app:p#S3CRET@localhost/shop", "postgres:app:12/3?S3CRET@localhost/shop",
    "postgres:app@localhost/shop password=S3CRET", "postgres:app@localhost/shop;password=S3CRET",
    "postgres:app@localhost:5432 password=S3CRET/shop",
    "postgres:app password=S3CRET@localhost/shop",
    "postgres:app@localhost/shop?namespace=a password=S3CRET",
    "postgres:jdbc:postgresql://localhost/shop?user=app&password=S3CRET",
    "postgres:mysql://app:S3CRET@localhost/shop", "postgres:app:S3CRET@localhost:x/shop",
    "postgres:app:%53S3CRET%@localhost/shop", "postgres://:S3CRET@localhost/shop",
    "postgres:service=shop password=S3CRET",
  ]

  private func texts(of value: Any) -> [String] {
    var dumped = ""
    dump(value, to: &dumped)
    var shown = ["\(value)", String(describing: value), String(reflecting: value), dumped]
    for child in Mirror(reflecting: value).children {
      shown += ["\(child.value)", String(reflecting: child.value)]
    }
    return shown
  }

  @Test("by any location", arguments: locations)
  func location(_ text: String) throws {
    if let location = try? StoreLocation(text, among: [.postgres]) {
      for shown in texts(of: location) + texts(of: [location]) + texts(of: ("x", location)) {
        #expect(!shown.contains(Self.secret), "\(shown)")
      }
    }
    for shown in texts(of: StoreLocation.postgres(String(text.dropFirst("postgres:".count)))) {
      #expect(!shown.contains(Self.secret), "\(shown)")
    }
    // No server is there, or it refuses the role.
    let error = Self.failure(text)
    #expect([.invalidLocation, .cannotOpen].contains(error.code), "\(error)")
    for shown in texts(of: error) { #expect(!shown.contains(Self.secret), "\(shown)") }
  }

  private static func failure(_ text: String) -> StoreError {
    var postgres = PostgresOptions()
    postgres.connectTimeout = .seconds(1)
    do {
      try PostgresStore(text, schema: Schema(Word.self), postgres: postgres).close()
    } catch let error as StoreError {
      return error
    } catch {}
    return StoreError(.engine, "opened")
  }

  @Test("by options with any replica", arguments: locations)
  func options(_ text: String) {
    var options = PostgresOptions()
    options.replicas = [text]
    options.password = { Self.secret }
    for shown in texts(of: options) + texts(of: [options]) + texts(of: ("x", options)) {
      #expect(!shown.contains(Self.secret), "\(shown)")
    }
  }

  /// False on a machine without libpq, which takes locations apart.
  private static let hasLibrary =
    !failure("postgres:localhost").message.contains("needs libpq")

  @Test(
    "9.4: A location in another form is refused before a host is looked for",
    .enabled(if: hasLibrary, "the machine has no libpq"))
  func refused() {
    for text in Self.locations.filter({ $0.contains(" ") || $0.hasSuffix(":S3CRET") }) {
      #expect(Self.failure(text).code == .invalidLocation, "\(text)")
    }
  }

  @Test(
    "9.4: An open store shows none", .enabled(if: PostgresServer.isThere, PostgresServer.comment))
  func store() throws {
    let namespace = PostgresNamespace()
    let location = try namespace.location() + "&password=\(Self.secret)"
    var postgres = PostgresOptions()
    postgres.replicas = [location]
    let store = try PostgresStore(location, schema: Schema(Word.self), postgres: postgres)
    try store.save(Word(id: 1, text: "a", weight: 1))
    var dumped = ""
    dump(store, to: &dumped, maxDepth: 12)
    #expect(!dumped.contains(Self.secret))
    #expect(dumped.contains("location: postgres:"))
    try store.close()
  }
}
