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

  /// Starts a server by the script; nil where that is not possible.
  ///
  /// - Parameter isDurable: true if it syncs its log.
  init?(isDurable: Bool = false) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "bash", "-c",
      """
      unset STRATA_POSTGRES; postgres_fsync=\(isDurable ? "on" : "off")
      source Scripts/postgres.sh >/dev/null 2>&1
      echo "${STRATA_POSTGRES:-}"
      standby=$postgres_folder/standby
      control() {
        as_postgres "$postgres_bin/pg_ctl" "$@" -w -D "$postgres_folder/data" \
          -l "$postgres_folder/data/log" >/dev/null 2>&1 </dev/null
      }
      while read -r line; do
        case $line in
          restart) control restart -m immediate ;;
          stop) control stop -m immediate ;;
          start) control start -o "-c listen_addresses='' -c fsync=$postgres_fsync \
            -c max_connections=200 -c unix_socket_directories='$postgres_folder'" ;;
          standby)
            as_postgres mkdir -m 700 "$standby" "$standby/socket"
            as_postgres "$postgres_bin/pg_basebackup" -h "$postgres_folder" -U postgres \
              -D "$standby/data" -R -X stream -c fast >/dev/null 2>&1 </dev/null
            as_postgres "$postgres_bin/pg_ctl" start -w -D "$standby/data" -l "$standby/log" \
              -o "-c listen_addresses='' -c fsync=off -c max_connections=200 \
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
    process.currentDirectoryURL = root
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    location = Self.line(output)
    if location.isEmpty {
      stop()
      return nil
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
