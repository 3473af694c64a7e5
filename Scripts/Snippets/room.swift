struct Room: PrimaryKeyed, Codable {
  var id: Int64
  var name: String
  var seats: Int
  var code: String
  var opens: Int
  var closes: Int

  // SNIPPET
}
