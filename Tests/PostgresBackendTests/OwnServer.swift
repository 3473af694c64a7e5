import Foundation
import TestSupport
import Testing

/// A server of one test, which may stop it, and give it a standby.
final class OwnServer {
  /// The location of its database.
  let location: String
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// True if the server's programs are there, and a user that they accept.
  static let isPossible: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "bash", "-c",
      "STRATA_POSTGRES=none; source Scripts/postgres.sh && postgres_programs && as_postgres true",
    ]
    process.currentDirectoryURL = root
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// The reason for tests to be skipped.
  static let comment: Comment = "the programs of a PostgreSQL server are not installed"

  /// Starts a server by the script.
  ///
  /// - Parameters:
  ///   - isDurable: true if it syncs its log.
  ///   - settings: more options of the server.
  init(isDurable: Bool = false, settings: String = "") throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "bash", "-c",
      """
      unset STRATA_POSTGRES STRATA_POSTGRES_HOSTILE; postgres_fsync=\(isDurable ? "on" : "off")
      postgres_settings="\(settings)"
      source Scripts/postgres.sh >/dev/null 2>&1
      echo "${STRATA_POSTGRES:-}"
      standby=$postgres_folder/standby
      control() {
        as_postgres "$postgres_bin/pg_ctl" "$@" -w -D "$postgres_folder/data" \
          -l "$postgres_folder/data/log" >/dev/null 2>&1 </dev/null
      }
      make_certificates() {
        as_postgres bash -ec '
          mkdir "$0"; cd "$0"
          for root in root other; do
            openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=strata $root" \
              -keyout $root.key -out $root.crt
          done
          openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr
          echo subjectAltName=DNS:localhost >names
          openssl x509 -req -in server.csr -CA root.crt -CAkey root.key -CAcreateserial -days 2 \
            -extfile names -out server.crt
          chmod 600 server.key
          quote=$(printf "\\047")
          echo "ssl = on
          ssl_cert_file = $quote$0/server.crt$quote
          ssl_key_file = $quote$0/server.key$quote" >>../data/postgresql.conf
          ' "$postgres_folder/tls" >/dev/null 2>&1 </dev/null
      }
      while read -r line; do
        case $line in
          restart) control restart -m immediate ;;
          stop) control stop -m immediate ;;
          start) control start -o "-c listen_addresses='' -c fsync=$postgres_fsync \
            -c max_connections=400 -c unix_socket_directories='$postgres_folder' \
            $postgres_settings" ;;
          sql*) as_postgres "$postgres_bin/psql" -h "$postgres_folder" -U postgres -X -q \
            -c "${line#sql }" >/dev/null 2>&1 </dev/null ;;
          folder*) as_postgres mkdir "${line#folder }" ;;
          tls) make_certificates && control restart; echo "$postgres_folder/tls" ;;
          standby)
            as_postgres mkdir -m 700 "$standby" "$standby/socket"
            as_postgres "$postgres_bin/pg_basebackup" -h "$postgres_folder" -U postgres \
              -D "$standby/data" -R -X stream -c fast >/dev/null 2>&1 </dev/null
            as_postgres "$postgres_bin/pg_ctl" start -w -D "$standby/data" -l "$standby/log" \
              -o "-c listen_addresses='' -c fsync=off -c max_connections=400 \
              -c unix_socket_directories='$standby/socket'" >/dev/null 2>&1 </dev/null
            echo "$standby/socket" ;;
        esac
        echo done
      done
      if [ -d "$standby/data" ]; then
        as_postgres "$postgres_bin/pg_ctl" stop -D "$standby/data" -m immediate >/dev/null 2>&1
      fi
      """,
    ]
    process.currentDirectoryURL = Self.root
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    location = Self.line(output)
    if location.isEmpty {
      stop()
      throw TestFailure("a PostgreSQL server of the test does not start")
    }
  }

  private static func line(_ pipe: Pipe) -> String {
    var bytes: [UInt8] = []
    while let byte = try? pipe.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 {
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func order(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    #expect(Self.line(output) == "done")
  }

  /// Stops the server at once, as a crash would, and starts it again.
  func restart() throws { try order("restart") }

  /// Stops the server at once, as a crash would.
  func crash() throws { try order("stop") }

  /// Starts it again.
  func start() throws { try order("start") }

  /// Runs a statement in SQL, on one line.
  func run(_ sql: String) throws { try order("sql \(sql)") }

  /// Makes a folder of the server's own on a volume that everybody may write to.
  func folder(in disk: TinyDisk) throws -> String {
    try order("folder \(disk.folder.path)/server")
    return disk.folder.path + "/server"
  }

  /// Lets the server speak TLS, with a certificate for `localhost`, and restarts it.
  ///
  /// - Returns: the folder of the certificates: that of the root, `root.crt`, and that of another one,
  ///   `other.crt`.
  func speakTLS() throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data("tls\n".utf8))
    let folder = Self.line(output)
    #expect(Self.line(output) == "done")
    return folder
  }

  /// A port that no program listens on.
  static func freePort() throws -> UInt16 {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw TestFailure("there is no free port") }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Starts a standby of the server, and returns the folder of its socket.
  func startStandby() throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data("standby\n".utf8))
    let folder = Self.line(output)
    #expect(Self.line(output) == "done")
    return folder
  }

  /// The lines of the server's log.
  func log() throws -> [Substring] {
    let folder = location.split(separator: "=").last ?? ""
    let text = try String(contentsOfFile: "\(folder)/data/log", encoding: .utf8)
    return text.split(separator: "\n")
  }

  /// Ends the server.
  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
