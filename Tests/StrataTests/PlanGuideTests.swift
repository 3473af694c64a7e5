#if Command
  import Foundation
  import ORM
  import ORMMigrations
  import Testing

  /// The form of a plan in JSON, as the guide and the help of `strata migrate` show it.
  struct PlanGuideTests {
    /// The section of the guide on plans in files.
    private static func section() throws -> String {
      let guide = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/ORM/ORM.docc/ChangingYourModels.md")
      let text = try String(contentsOf: guide, encoding: .utf8)
      let rest = try #require(text.range(of: "## A plan in a file\n")).upperBound
      let end = try #require(text.range(of: "\n## ", range: rest..<text.endIndex)).lowerBound
      return String(text[rest..<end])
    }

    /// A folder with a store of snacks.
    private static func folder() throws -> CommandFolder {
      let folder = CommandFolder()
      try folder.write("id,flavour,price,note\n1,hot,2.5,x\n2,,3.999,\n3,,,\n", to: "a.csv")
      _ = try folder.run("import", "app.sqlite", "Snack", "a.csv")
      return folder
    }

    @Test("The plan of the guide runs by its commands")
    func example() throws {
      let section = try Self.section()
      let begin = try #require(section.range(of: "```json\n")).upperBound
      let end = try #require(section.range(of: "```", range: begin..<section.endIndex)).lowerBound
      let folder = try Self.folder()
      try folder.write(String(section[begin..<end]), to: "plan.json")
      let commands = section.split(separator: "\n").filter { $0.hasPrefix("strata ") }
      #expect(commands.count == 2)
      for command in commands {
        let words = command.prefix { $0 != "#" }.split(separator: " ").dropFirst()
        let run = try CommandRun(words.map(String.init), in: folder)
        #expect(run.status == 0 && run.output.hasPrefix("version: none → 1\n"), "\(run.errors)")
      }
      #expect(
        try folder.run("query", "app.sqlite", "Snack", "--format", "csv")
          == "id,taste,price,note,cents\n1,hot,2.5,x,250\n2,,3.999,,400\n3,,,,0\n")
    }

    @Test("Every step of the guide is read, and written as the guide says")
    func steps() throws {
      let rows = try Self.section().split(separator: "\n").filter { $0.hasPrefix("| `") }
      #expect(rows.count == 22)
      for row in rows {
        let parts = row.split(separator: "`")
        let (name, json) = (String(parts[1]), String(parts[3]))
        #expect(json.hasPrefix("{\"\(name)\": "))
        let plan = try JSONDecoder().decode(
          MigrationPlan.self,
          from: Data(#"{"versions": [{"number": 1, "steps": [\#(json)]}]}"#.utf8))
        let step = try #require(plan.versions.first?.steps.first)
        let again = try JSONSerialization.jsonObject(with: JSONEncoder().encode(step))
        let written = try JSONSerialization.jsonObject(with: Data(json.utf8))
        #expect(again as? NSDictionary == written as? NSDictionary, "\(name)")
      }
    }

    @Test("The plan of the help runs, from standard input, on a path alone")
    func help() throws {
      let folder = try Self.folder()
      let help = try folder.run("migrate", "run", "--help")
      let begin = try #require(help.range(of: "{\"versions\"")).lowerBound
      let end = try #require(help.range(of: "]}]}")).upperBound
      let plan = String(help[begin..<end])
      let run = try CommandRun(["migrate", "app.sqlite", "--plan", "-"], in: folder, input: plan)
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        try folder.run("query", "app.sqlite", "Snack", "--format", "csv")
          == "id,taste,price\n1,hot,2.5\n2,,3.999\n3,,\n")
    }
  }
#endif
